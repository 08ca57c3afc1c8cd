import assert from "node:assert/strict";
import { test } from "node:test";

import type { Client } from "../src/client.js";
import type { Envelope } from "../src/envelope.js";
import { FRESH_MS, HealthCache } from "../src/health.js";
import { envelope, trouble } from "./fake_ragd.js";

const DEGRADED = envelope({}, { status: "degraded", error: trouble("OLLAMA_UNREACHABLE") });

function daemon(answer: Envelope = envelope({})): Client & { calls: number; answer: Envelope } {
  const call = async () => (fake.calls++, fake.answer);
  const fake = { calls: 0, answer, call, read: async () => null, collections: call, approvals: call, decide: call };
  return fake;
}

test("a healthy daemon is asked again only after five minutes", async () => {
  let now = 0;
  const cache = new HealthCache(() => now);
  const client = daemon();
  assert.equal((await cache.check(client))?.status, "healthy");
  now = FRESH_MS - 1;
  assert.equal(await cache.check(client), null);
  now = FRESH_MS;
  assert.equal((await cache.check(client))?.status, "healthy");
  assert.equal(client.calls, 2);
});

test("a daemon that is not healthy is asked every time", async () => {
  const cache = new HealthCache(() => 0);
  const client = daemon(DEGRADED);
  for (let times = 0; times < 3; times++)
    assert.equal((await cache.check(client))?.status, "degraded");
  assert.equal(client.calls, 3);
});

test("an answer that says something is wrong makes the next search ask", async () => {
  const cache = new HealthCache(() => 0);
  const client = daemon();
  await cache.check(client);
  cache.record(envelope({}));
  assert.equal(await cache.check(client), null);
  cache.record(DEGRADED);
  assert.equal((await cache.check(client))?.status, "healthy");
});
