import assert from "node:assert/strict";
import { test } from "node:test";

import type { Client } from "../src/client.js";
import { CollectionLists, describe } from "../src/collections.js";
import { type Envelope } from "../src/envelope.js";
import { envelope, trouble } from "./fake_ragd.js";

const VAULT = { name: "vault", context: "", private: false };
const PAPERS = { name: "papers", context: "About ice.", private: false };
const DIARY = { name: "diary", context: "Written\nat <<<night>>>", private: true };
const SENTENCE =
  "The collections, to be named in `collections`: vault; papers: About ice; " +
  "diary (searched only when it is named): Written at ‹‹‹night›››.";

function listing(...collections: unknown[]): Envelope {
  return envelope({ collections });
}

test("the sentence names the collections with their contexts", () => {
  assert.equal(describe(listing(VAULT, PAPERS, DIARY)), SENTENCE);
});

test("a vault alone needs no sentence, unless it has a context", () => {
  for (const plain of [listing(VAULT), listing(), envelope({}), envelope(null)])
    assert.equal(describe(plain), "");
  assert.match(describe(listing({ ...VAULT, context: "All of mine" })), /vault: All of mine\.$/);
});

test("the sentence has a limit", () => {
  const many = Array.from({ length: 50 }, (_, n) => ({ name: `c${n}`, context: "x".repeat(500) }));
  const sentence = describe(listing(...many));
  assert.ok(sentence.endsWith("; and 30 more.") && sentence.length < 5_000, sentence);
});

class Daemon {
  asked = 0;
  readonly answers: Envelope[];
  readonly client: Client = {
    call: async () => envelope(null),
    read: async () => null,
    approvals: async () => envelope(null),
    decide: async () => envelope(null),
    collections: async () => (this.asked++, this.answers.shift() ?? envelope(null)),
  };

  constructor(...answers: Envelope[]) {
    this.answers = answers;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("the sentence comes with the next description, and is asked for once a minute", async () => {
  let now = 0;
  const lists = new CollectionLists(() => now);
  const daemon = new Daemon(listing(VAULT, PAPERS, DIARY), listing(VAULT));
  assert.equal(lists.sentence(daemon.client, "main"), "");
  await settled();
  assert.equal(lists.sentence(daemon.client, "main"), SENTENCE);
  assert.equal(daemon.asked, 1);
  now += 60_000;
  assert.equal(lists.sentence(daemon.client, "main"), SENTENCE);
  await settled();
  assert.equal(lists.sentence(daemon.client, "main"), "");
  assert.equal(daemon.asked, 2);
});

test("a daemon that is down leaves the description as it was", async () => {
  let now = 0;
  const lists = new CollectionLists(() => now);
  const down = envelope(null, { error: trouble("DAEMON_NOT_RUNNING") });
  const daemon = new Daemon(listing(VAULT, PAPERS, DIARY), down);
  lists.sentence(daemon.client, "main");
  await settled();
  now += 60_000;
  lists.sentence(daemon.client, "main");
  await settled();
  assert.equal(lists.sentence(daemon.client, "main"), SENTENCE);
});

test("each agent has a sentence of its own", async () => {
  const lists = new CollectionLists();
  lists.sentence(new Daemon(listing(VAULT, PAPERS, DIARY)).client, "direct main");
  lists.sentence(new Daemon(listing(VAULT)).client, "group main");
  await settled();
  const none = new Daemon().client;
  assert.equal(lists.sentence(none, "direct main"), SENTENCE);
  assert.equal(lists.sentence(none, "group main"), "");
});
