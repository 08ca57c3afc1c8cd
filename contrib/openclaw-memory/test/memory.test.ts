import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { envelope, FakeRagd, found, passage, type Reply, trouble } from "../../openclaw-plugin/test/fake_ragd.js";
import { flushPlan } from "../src/flush.js";
import type { MemoryApi, MemoryCapability } from "../src/host.js";
import { ABOUT_MEMORY, makeMemoryTool, registerMemory } from "../src/plugin.js";
import { collectionsOf } from "../src/recall.js";
import { MEMORY_CONFIG_SCHEMA } from "../src/settings.js";
import { summaryOf } from "../src/summary.js";
import { MEMORY_SLOT_TOOLS } from "../src/tools.js";

const ROOT = new URL("../../../", import.meta.url); // of .build/openclaw-memory/test
const read = (name: string) => JSON.parse(readFileSync(new URL(name, ROOT), "utf8"));

type Hook = (event: Record<string, unknown>, context: Record<string, unknown>) => Promise<unknown>;

class FakeHost {
  readonly hooks: { hook: string; handler: Hook; matcher: string[] }[] = [];
  capability: MemoryCapability | undefined;
  readonly config: Record<string, unknown>;
  readonly api: MemoryApi;

  constructor(config: Record<string, unknown>) {
    this.config = config;
    const on = (hook: string, handler: unknown, options?: { matcher: string[] }) =>
      this.hooks.push({ hook, handler: handler as Hook, matcher: options?.matcher ?? [] });
    this.api = {
      registrationMode: "full",
      pluginConfig: config,
      on: on as MemoryApi["on"],
      registerMemoryCapability: (capability) => (this.capability = capability),
    };
  }

  async run(name: string, params: unknown, toolContext = {}) {
    const text = MEMORY_SLOT_TOOLS.find((one) => one.name === name)!;
    const made = { api: this.api as never, config: this.config, toolContext };
    const { content } = await makeMemoryTool(text, made).execute("1", params);
    return JSON.parse(content[0]?.text.split("\n")[0] ?? "");
  }

  hook(name: string, tool = ""): Hook {
    const one = this.hooks.find(({ hook, matcher }) => hook === name && (!tool || matcher.includes(tool)));
    assert.ok(one);
    return one.handler;
  }
}

async function withRagd(reply: Reply, run: (ragd: FakeRagd, host: FakeHost) => Promise<void>) {
  const ragd = await new FakeRagd(reply).listen();
  try {
    const host = new FakeHost({ socketPath: ragd.socketPath });
    registerMemory(host.api);
    await run(ragd, host);
  } finally {
    await ragd.close();
  }
}

const GROUP = { agentId: "main", sessionKey: "agent:main:telegram:group:-1" };
const MAIN = { agentId: "main", sessionKey: "agent:main:main" };
const FLUSH = { agentId: "main", sessionKey: "agent:main:internal-session-effects:r-1" };
const SAVED = { toolName: "write", params: { path: "memory/2026-11-18.md", content: "Likes tea." } };
const TALK = [
  { role: "user", content: "Plan the trip" },
  { role: "assistant", content: [{ type: "text", text: "To Rügen." }, { type: "toolCall", text: "x" }] },
  { role: "toolResult", content: "secret tool output" },
];

test("manifest, package and code agree, and only this package claims the slot", () => {
  const manifest = read("openclaw.plugin.json");
  assert.equal(manifest.kind, "memory");
  assert.equal(manifest.id, ABOUT_MEMORY.id);
  assert.equal(manifest.description, ABOUT_MEMORY.description);
  assert.equal(manifest.version, read("package.json").version);
  assert.deepEqual(manifest.contracts.tools, MEMORY_SLOT_TOOLS.map(({ name }) => name));
  assert.deepEqual(manifest.configSchema, MEMORY_CONFIG_SCHEMA);
  assert.equal(read("package.json").dependencies, undefined);
});

test("memory_search asks for the collections of the corpus, and fences what it finds", async () => {
  const memory = { key: "tea", value: "strong", source: "a.md" };
  const rows = [passage({ source_file: "@memory/main/memory/x.md" }), passage()];
  await withRagd(() => envelope(found(rows, { memories: [memory] })), async (ragd, host) => {
    const { results } = await host.run("memory_search", { query: "tea", maxResults: 99, minScore: 0.2 }, MAIN);
    assert.deepEqual(results.map((one: { corpus: string }) => one.corpus), ["memory", "memory", "vault"]);
    assert.match(results[1].snippet, /<<<NOTES \w+>>>/);
    assert.deepEqual(ragd.asked[0]?.body, {
      ...{ query: "tea", max_results: 50, min_score: 0.2 },
      collections: ["memory", "sessions", "vault"],
    });
    assert.deepEqual(ragd.asked[0]?.asker, ["main", ""]);
  });
  assert.deepEqual(collectionsOf("sessions", true), ["sessions"]);
  assert.deepEqual(collectionsOf("all", false), ["memory", "sessions"]);
});

test("a collection that does not exist is left out", async () => {
  const unknown = envelope(null, { error: trouble("UNKNOWN_COLLECTION") });
  const reply: Reply = ({ body }) =>
    String(body["collections"]).includes("sessions") ? unknown : envelope(found([passage()]));
  await withRagd(reply, async (ragd, host) => {
    assert.equal((await host.run("memory_search", { query: "x" }, MAIN)).results.length, 1);
    assert.deepEqual(ragd.asked.at(-1)?.body["collections"], ["memory", "vault"]);
    const alone = await host.run("memory_search", { query: "x", corpus: "sessions" }, MAIN);
    assert.match(alone.warning, /UNKNOWN_COLLECTION/);
  });
});

test("memory_get reads lines, and says when there are none", async () => {
  const note = { path: "A.md", from: 1, total_lines: 1, text: "hello", citation: "A.md#L1" };
  await withRagd(({ path }) => (path.includes("A.md") ? envelope(note) : [404, envelope(null)]), async (_, host) => {
    const got = await host.run("memory_get", { path: "A.md" }, MAIN);
    assert.equal(got.status, "ok");
    assert.match(got.text, /<<<NOTES \w+>>>\nhello/);
    assert.equal((await host.run("memory_get", { path: "B.md" }, MAIN)).status, "not_found");
  });
});

test("a group chat gets nothing, and the daemon is not asked", async () => {
  await withRagd(() => envelope(found([passage()])), async (ragd, host) => {
    const { results, warning } = await host.run("memory_search", { query: "x" }, GROUP);
    assert.deepEqual([results, /Others can read/.test(warning)], [[], true]);
    assert.equal((await host.run("memory_get", { path: "A.md" }, GROUP)).status, "error");
    await host.run("memory_write", { path: "A.md", text: "x" }, GROUP);
    await host.hook("before_reset")({ messages: TALK, reason: "new" }, GROUP);
    assert.equal(ragd.asked.length, 0);
  });
});

test("with the daemon down memory_search says so", async () => {
  const got = await new FakeHost({ socketPath: "/nowhere/ragd.sock" }).run("memory_search", { query: "x" }, MAIN);
  assert.match(got.warning, /`ragctl start`/);
});

test("what is saved before a compaction goes to ragd, and the file stays empty", async () => {
  await withRagd(() => envelope({ path: "x" }), async (ragd, host) => {
    const hook = host.hook("before_tool_call", "write");
    assert.deepEqual(await hook(SAVED, FLUSH), { params: { ...SAVED.params, content: "" } });
    assert.deepEqual(ragd.asked[0]?.body, { path: "memory/2026-11-18.md", text: "Likes tea.\n", append: true });
    assert.equal(await hook(SAVED, MAIN), undefined); // an ordinary write of the assistant
    assert.equal(await hook({ ...SAVED, params: { path: "a.ts", content: "x" } }, FLUSH), undefined);
    assert.equal(ragd.asked.length, 1);
    await hook(SAVED, { ...FLUSH, requester: { channel: "telegram" }, channelId: "-100" });
    await hook(SAVED, { ...FLUSH, requester: { channel: "telegram" }, channelId: "42" });
    assert.deepEqual(ragd.asked.slice(1).map(({ asker }) => asker[1]), ["group", "group"]);
  });
});

test("what ragd refuses stays with OpenClaw", async () => {
  await withRagd(() => envelope(null), async (_, host) => {
    assert.equal(await host.hook("before_tool_call", "write")(SAVED, FLUSH), undefined);
  });
});

test("/new leaves a short summary without tool output", async () => {
  await withRagd(() => envelope({ path: "x" }), async (ragd, host) => {
    await host.hook("before_reset")({ messages: TALK, reason: "new" }, MAIN);
    const { path, text, append } = ragd.asked[0]?.body ?? {};
    assert.match(String(path), /^memory\/\d{4}-\d\d-\d\d\.md$/);
    assert.match(String(text), /^## Conversation until .*\n\n- User: Plan the trip\n- Assistant: To Rügen\.\n$/);
    assert.equal(append, true);
  });
  assert.equal(summaryOf(TALK, "agent:main:cron:1", 0), null);
  assert.equal(summaryOf([{ role: "user", content: "/new" }], "agent:main:main", 0), null);
});

test("a summary leaves out what an earlier one has", async () => {
  await withRagd(() => envelope({ path: "x" }), async (ragd, host) => {
    const [before, after] = [Date.now() - 1_000, Date.now() + 60_000];
    const first = { role: "user", content: "Plan the trip", timestamp: before };
    await host.hook("before_reset")({ messages: [first], reason: "new" }, MAIN);
    const second = { role: "user", content: "Cook rice", timestamp: after };
    await host.hook("before_reset")({ messages: [first, second], reason: "new" }, MAIN);
    assert.match(String(ragd.asked[0]?.body["text"]), /Plan the trip/);
    assert.match(String(ragd.asked[1]?.body["text"]), /\n\n- User: Cook rice\n$/);
  });
});

test("the log says when OpenClaw's dreaming keeps its own tools", () => {
  for (const [config, count] of [[{}, 1], [{ dreaming: { enabled: false } }, 0]] as const) {
    const lines: string[] = [];
    const { api } = new FakeHost(config);
    registerMemory({ ...api, logger: { warn: (line) => lines.push(line) } });
    assert.equal(lines.length, count);
  }
});

test("the plan follows OpenClaw's settings", () => {
  const cfg = (memoryFlush: object) => ({ agents: { defaults: { compaction: { memoryFlush }, userTimezone: "UTC" } } });
  const plan = flushPlan({ cfg: cfg({ softThresholdTokens: 7 }), nowMs: 0, contextWindowTokens: 30_000 });
  assert.deepEqual([plan?.relativePath, plan?.softThresholdTokens], ["memory/1970-01-01.md", 7]);
  assert.equal(plan?.reserveTokensFloor, 15_000);
  assert.equal(flushPlan({ cfg: cfg({ enabled: false }) }), null);
});

test("the user is asked before memory_write and memory_forget", async () => {
  await withRagd(() => envelope({}), async (_, host) => {
    const hook = host.hook("before_tool_call", "memory_write");
    const asked = await hook({ toolName: "memory_write", params: { path: "A.md", text: "x" } }, MAIN);
    assert.ok(asked);
    assert.equal(await hook({ toolName: "memory_write", params: {} }, GROUP), undefined);
  });
});
