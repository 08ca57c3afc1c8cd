import assert from "node:assert/strict";
import { test } from "node:test";

import { askerOf, headersOf, SOMEBODY } from "../src/asker.js";

const nothing = () => undefined;

test("the agent is the one that OpenClaw names, else the one of the session's key", () => {
  const sessionKey = "agent:work:telegram:group:-1";
  const { session, ...main } = askerOf({ agentId: "main", sessionKey }, nothing);
  assert.deepEqual(main, { agent: "main", chat: "group" });
  assert.deepEqual(askerOf({ sessionKey }, nothing), { agent: "work", chat: "group", session });
  assert.match(session, /^[0-9a-f]{64}$/); // a hash: the key names people
  const other = askerOf({ sessionKey: "cron:1" }, nothing);
  assert.notEqual(other.session, session);
  assert.deepEqual({ ...other, session: "" }, SOMEBODY);
  assert.deepEqual(askerOf({}, nothing), SOMEBODY);
});

test("a name cannot break out of its header", () => {
  assert.deepEqual(headersOf({ agent: "büro\r\nx-ragd-agent: a", chat: "direct", session: "5e" }), {
    "x-ragd-agent": "b%C3%BCro%0D%0Ax-ragd-agent%3A%20a",
    "x-ragd-chat": "direct",
    "x-ragd-session": "5e",
  });
  assert.equal(headersOf({ agent: "\ud800", chat: "", session: "" })["x-ragd-agent"], "");
});

test("an agent without a name sends its headers too: without them it would be the user", () => {
  assert.deepEqual(headersOf(SOMEBODY), { "x-ragd-agent": "", "x-ragd-chat": "" });
});
