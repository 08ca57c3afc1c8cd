import assert from "node:assert/strict";
import { test } from "node:test";

import {
  type Chat,
  type ChatContext,
  type ChatKind,
  chatKindOf,
  chatOf,
} from "../src/scope.js";

const nothing = () => undefined;

const KEYS: [string, Chat][] = [
  ["agent:main:main", "unknown"],
  ["agent:main:dashboard:review", "unknown"],
  ["agent:main:cron:1:run:2", "unknown"],
  ["agent:main:direct:ada", "direct"],
  ["agent:main:telegram:dm:42", "direct"],
  ["agent:main:slack:work:direct:U1:thread:9", "direct"],
  ["agent:main:telegram:group:-100123:topic:42", "shared"],
  ["agent:main:discord:channel:123:thread:9", "shared"],
  ["agent:main:whatsapp:group:1203@g.us", "shared"],
  ["agent:main:1203@g.us", "shared"],
  ["agent:main:discord:guild-1:channel-2", "shared"],
  ["AGENT:main:Telegram:GROUP:7", "shared"],
];
for (const [sessionKey, chat] of KEYS) {
  test(`the session key ${sessionKey} is ${chat}`, () => {
    assert.equal(chatOf({ sessionKey }, nothing), chat);
  });
}

test("an agent called group is not a group", () => {
  assert.equal(chatOf({ sessionKey: "agent:group:main" }, nothing), "unknown");
});

const TARGETS: [NonNullable<ChatContext["deliveryContext"]>, Chat][] = [
  [{ channel: "slack", to: "channel:C1" }, "shared"],
  [{ channel: "slack", to: "user:U1" }, "direct"],
  [{ channel: "telegram", to: "-100123" }, "shared"],
  [{ channel: "telegram", to: "telegram:-100123" }, "shared"],
  [{ channel: "telegram", to: "42" }, "unknown"],
  [{ channel: "whatsapp", to: "1203@g.us" }, "shared"],
  [{ channel: "signal", to: "group:abc=" }, "shared"],
  [{}, "unknown"],
];
for (const [deliveryContext, chat] of TARGETS) {
  test(`an answer that goes to ${JSON.stringify(deliveryContext)} is ${chat}`, () => {
    assert.equal(chatOf({ sessionKey: "agent:main:main", deliveryContext }, nothing), chat);
  });
}

for (const session of [
  { chatType: "group" },
  { chatType: "channel" },
  { delivery: { kind: "external", origin: { chatType: "group" } } },
  { delivery: { kind: "external", route: { target: { to: "C1", chatType: "channel" } } } },
  { delivery: { kind: "external", route: { channel: "telegram", target: { to: "-1" } } } },
]) {
  test(`a group that shares the main session is shared: ${JSON.stringify(session)}`, () => {
    assert.equal(
      chatOf({ sessionKey: "agent:main:main" }, () => session),
      "shared",
    );
  });
}

test("a stored direct chat is direct, and unexpected records are ignored", () => {
  assert.equal(
    chatOf({ sessionKey: "agent:main:main" }, () => ({ chatType: "direct" })),
    "direct",
  );
  for (const odd of [null, 7, "x", [], { delivery: 3 }]) {
    assert.equal(
      chatOf({ sessionKey: "agent:main:main" }, () => odd),
      "unknown",
    );
  }
});

test("a subagent is as shared as its parent", () => {
  const sessions: Record<string, unknown> = {
    "agent:main:subagent:1": { spawnedBy: "agent:main:subagent:2" },
    "agent:main:subagent:2": { spawnedBy: "agent:main:telegram:group:7" },
  };
  const stored = (key: string) => sessions[key];
  assert.equal(chatOf({ sessionKey: "agent:main:subagent:1" }, stored), "shared");
});

test("sessions that spawned each other do not loop", () => {
  const stored = (key: string) => ({ spawnedBy: key === "a" ? "b" : "a" });
  assert.equal(chatOf({ sessionKey: "a" }, stored), "unknown");
});

const KINDS: [ChatContext, unknown, ChatKind][] = [
  [{ sessionKey: "agent:main:main" }, undefined, "unknown"],
  [{ sessionKey: "agent:main:direct:ada" }, undefined, "direct"],
  [{ sessionKey: "agent:main:telegram:group:-1" }, undefined, "group"],
  [{ sessionKey: "agent:main:1203@g.us" }, undefined, "group"],
  [{ sessionKey: "agent:main:discord:channel:1" }, undefined, "channel"],
  [{ sessionKey: "agent:main:discord:guild-1" }, undefined, "channel"],
  [{ sessionKey: "agent:main:main" }, { chatType: "channel" }, "channel"],
  [{ sessionKey: "agent:main:main" }, { chatType: "thread" }, "group"],
  [{ sessionKey: "agent:main:direct:ada" }, { chatType: "group" }, "group"],
  [{ deliveryContext: { channel: "slack", to: "channel:C1" } }, undefined, "channel"],
  [{ deliveryContext: { channel: "telegram", to: "-100123" } }, undefined, "group"],
];
for (const [context, session, kind] of KINDS) {
  test(`${JSON.stringify([context, session])} is of the kind ${kind}`, () => {
    assert.equal(
      chatKindOf(context, () => session),
      kind,
    );
  });
}
