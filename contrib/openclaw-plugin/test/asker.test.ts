import assert from "node:assert/strict";
import { test } from "node:test";

import { askerOf, headersOf, SOMEBODY } from "../src/asker.js";

const nothing = () => undefined;

test("the agent is the one that OpenClaw names, else the one of the session's key", () => {
  const sessionKey = "agent:work:telegram:group:-1";
  assert.deepEqual(askerOf({ agentId: "main", sessionKey }, nothing), { agent: "main", chat: "group" });
  assert.deepEqual(askerOf({ sessionKey }, nothing), { agent: "work", chat: "group" });
  assert.deepEqual(askerOf({ sessionKey: "cron:1" }, nothing), SOMEBODY);
  assert.deepEqual(askerOf({}, nothing), SOMEBODY);
});

test("a name cannot break out of its header", () => {
  assert.deepEqual(headersOf({ agent: "büro\r\nx-ragd-agent: a", chat: "direct" }), {
    "x-ragd-agent": "b%C3%BCro%0D%0Ax-ragd-agent%3A%20a",
    "x-ragd-chat": "direct",
  });
  assert.equal(headersOf({ agent: "\ud800", chat: "" })["x-ragd-agent"], "");
});

test("an agent without a name sends its headers too: without them it would be the user", () => {
  assert.deepEqual(headersOf(SOMEBODY), { "x-ragd-agent": "", "x-ragd-chat": "" });
});
