import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import type { Api, Command, CorpusSupplement, Logger, Service, Tool } from "../src/host.js";
import { ABOUT, declarations, makeTool, registerExtras } from "../src/plugin.js";
import { CONFIG_SCHEMA, DEFAULTS, settingsOf } from "../src/settings.js";
import { cleaned, TOOLS } from "../src/tools.js";
import { envelope, FakeRagd, found, passage, type Reply, trouble } from "./fake_ragd.js";

const ROOT = new URL("../../", import.meta.url); // of .build/test
const manifest = JSON.parse(readFileSync(new URL("openclaw.plugin.json", ROOT), "utf8"));
const pack = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));

type BeforeHook = Parameters<Api["on"]>[1];

/** OpenClaw's side, as far as the plugin touches it. */
class FakeHost {
  readonly hooks: { hook: string; handler: BeforeHook; matcher: string[] }[] = [];
  readonly commands: Command[] = [];
  readonly services: Service[] = [];
  readonly corpora: CorpusSupplement[] = [];
  readonly lines: string[] = [];
  readonly logger: Logger = {
    info: (line) => this.lines.push(`info ${line}`),
    warn: (line) => this.lines.push(`warn ${line}`),
  };
  readonly config: Record<string, unknown>;
  readonly api: Api;

  constructor(config: Record<string, unknown>, registrationMode = "full") {
    this.config = config;
    this.api = {
      registrationMode,
      pluginConfig: config,
      on: (hook, handler, { matcher }) => this.hooks.push({ hook, handler, matcher }),
      registerCommand: (command) => this.commands.push(command),
      registerService: (service) => this.services.push(service),
      registerMemoryCorpusSupplement: (corpus) => this.corpora.push(corpus),
    };
  }

  tool(name: string, toolContext = {}): Tool {
    const text = TOOLS.find((one) => one.name === name);
    assert.ok(text);
    return makeTool(text, { api: this.api, config: this.config, toolContext });
  }

  async run(name: string, params: unknown, toolContext = {}): Promise<string> {
    const { content } = await this.tool(name, toolContext).execute("call-1", params);
    return content[0]?.text ?? "";
  }
}

async function withRagd(reply: Reply, run: (ragd: FakeRagd, host: FakeHost) => Promise<void>) {
  const ragd = await new FakeRagd(reply).listen();
  try {
    await run(ragd, new FakeHost({ socketPath: ragd.socketPath }));
  } finally {
    await ragd.close();
  }
}

const serving: Reply = ({ path }) =>
  path.endsWith("search") ? envelope(found([passage()])) : envelope({ plugin_health: "healthy" });

test("manifest, package and code agree", () => {
  assert.equal(manifest.id, ABOUT.id);
  assert.equal(manifest.name, ABOUT.name);
  assert.equal(manifest.description, ABOUT.description);
  assert.equal(manifest.version, pack.version);
  assert.ok(pack.name.endsWith(`/${ABOUT.id}`));
  assert.deepEqual(
    manifest.contracts.tools,
    TOOLS.map(({ name }) => name),
  );
  assert.deepEqual(Object.keys(manifest.toolMetadata), manifest.contracts.tools);
  assert.deepEqual(manifest.configSchema, CONFIG_SCHEMA);
  assert.deepEqual(Object.keys(manifest.uiHints), Object.keys(CONFIG_SCHEMA.properties));
  assert.equal(manifest.kind, undefined); // it would take the slot of OpenClaw's own memory
  assert.equal(pack.dependencies, undefined);
});

test("every setting has its default in the schema", () => {
  const { properties } = CONFIG_SCHEMA;
  for (const [name, value] of Object.entries(DEFAULTS)) {
    assert.equal(properties[name as keyof typeof properties].default, value);
  }
  assert.deepEqual(settingsOf(undefined), DEFAULTS);
  assert.deepEqual(settingsOf({ maxChars: 900, scope: undefined }), { ...DEFAULTS, maxChars: 900 });
});

test("the skill names every tool and every step that has a name", () => {
  const skill = readFileSync(new URL("skills/obsidian-rag/SKILL.md", ROOT), "utf8");
  const words = ["sensitive_detected", "memory_suggestion", "degraded", "unavailable", "[Source:"];
  for (const word of [...TOOLS.map(({ name }) => name), ...words])
    assert.ok(skill.includes(word), word);
  assert.match(skill, /^homepage: https:\/\/\S+$/m);
  const metadata = JSON.parse(/^metadata: (.*)$/m.exec(skill)?.[1] ?? "{}");
  assert.deepEqual(metadata.openclaw.requires.bins, ["ragctl"]); // what its advice tells to type
  const description = /^description: "(.*)"$/m.exec(skill)?.[1] ?? "";
  assert.ok(description.length > 0 && description.length <= 160, `${description.length}`);
});

test("nine tools are declared, and only search and read are offered directly", () => {
  const host = new FakeHost({});
  assert.equal(declarations().length, 9);
  const direct = TOOLS.filter(({ name }) => host.tool(name).catalogMode === "direct-only");
  assert.deepEqual(
    direct.map(({ name }) => name),
    ["obsidian_rag_search", "obsidian_rag_read"],
  );
});

test("null and missing values are not sent to the daemon, all others are", () => {
  assert.deepEqual(
    cleaned({
      query: "x",
      tags: null,
      confirm: undefined,
      date_range: { from: null, to: "2024-01-01" },
      bogus: 1,
    }),
    { query: "x", date_range: { to: "2024-01-01" }, bogus: 1 },
  );
  for (const odd of [null, undefined, "x", 7, []]) assert.deepEqual(cleaned(odd), {});
});

test("bad arguments get the daemon's answer, which names the field", async () => {
  const refused = envelope(null, {
    error: { ...trouble("INVALID_REQUEST"), message: "The field `query` is required." },
  });
  await withRagd(
    ({ path }) => (path.endsWith("search") ? refused : envelope({})),
    async (ragd, host) => {
      assert.match(await host.run("obsidian_rag_search", { bogus: 1 }), /`query` is required/);
      assert.deepEqual(ragd.asked.at(-1)?.body, { bogus: 1 });
    },
  );
});

test("the first search asks for the status, the next ones do not", async () => {
  await withRagd(serving, async (ragd, host) => {
    for (let times = 0; times < 3; times++) await host.run("obsidian_rag_search", { query: "x" });
    const asked = ragd.asked.map(({ path }) => path.split("_").at(-1));
    assert.deepEqual(asked, ["status", "search", "search", "search"]);
  });
});

test("without an index no search is made, and the index is offered", async () => {
  const none = envelope({}, { status: "unavailable", error: trouble("INDEX_NOT_FOUND") });
  await withRagd(
    () => none,
    async (ragd, host) => {
      assert.match(await host.run("obsidian_rag_search", { query: "x" }), /mode "full"/);
      assert.deepEqual(
        ragd.asked.map(({ path }) => path),
        ["/v1/tools/obsidian_rag_status"],
      );
    },
  );
});

test("a daemon too busy for its status is not asked for more", async () => {
  await withRagd(
    () => null,
    async (ragd) => {
      const host = new FakeHost({ socketPath: ragd.socketPath, timeoutMs: 300 });
      assert.match(await host.run("obsidian_rag_search", { query: "x" }), /TIMEOUT.*`ragctl status`/);
      assert.ok(ragd.asked.every(({ path }) => path.endsWith("status")));
    },
  );
});

test("the status tool always asks", async () => {
  await withRagd(serving, async (ragd, host) => {
    for (let times = 0; times < 2; times++) await host.run("obsidian_rag_status", {});
    assert.equal(ragd.asked.length, 2);
  });
});

const GROUP = { sessionKey: "agent:main:telegram:group:-1" };

for (const name of TOOLS.map(({ name }) => name).filter((name) => !/index|status/.test(name))) {
  test(`${name} is refused in a shared chat, and the daemon is not asked`, async () => {
    await withRagd(serving, async (ragd, host) => {
      assert.match(await host.run(name, { query: "x" }, GROUP), /SCOPE_REFUSED.*direct chat/);
      assert.equal(ragd.asked.length, 0);
    });
  });
}

test("with scope any, a group is served, without citations", async () => {
  await withRagd(serving, async (ragd) => {
    const host = new FakeHost({ socketPath: ragd.socketPath, scope: "any" });
    const text = await host.run("obsidian_rag_search", { query: "x" }, GROUP);
    assert.match(text, /I still owe/);
    assert.doesNotMatch(text, /L9-L10/);
  });
});

test("the stored session is read, and a host without sessions does no harm", async () => {
  await withRagd(serving, async (_ragd, host) => {
    const which: unknown[] = [];
    const getSessionEntry = (one: unknown) => (which.push(one), { chatType: "group" });
    host.api.runtime = { agent: { session: { getSessionEntry } } };
    const main = { sessionKey: "agent:main:main", agentId: "main" };
    assert.match(await host.run("obsidian_rag_search", { query: "x" }, main), /SCOPE_REFUSED/);
    assert.deepEqual(which, [main, main]); // for the daemon, and for the plugin's own scope
    host.api.runtime = {
      agent: {
        session: {
          getSessionEntry: () => {
            throw new Error("no store");
          },
        },
      },
    };
    assert.match(await host.run("obsidian_rag_search", { query: "x" }, main), /I still owe/);
  });
});

test("with the daemon down, every tool answers with the next command, and none throws", async () => {
  const host = new FakeHost({ socketPath: "/nonexistent/ragd.sock" });
  const params = { query: "x", mode: "sync", key: "k", value: "v", source: "s" };
  const results = TOOLS.map(({ name }) => host.tool(name).execute("1", params));
  for (const result of await Promise.all(results)) {
    assert.match(result.content[0]?.text ?? "", /DAEMON_NOT_RUNNING.*`ragctl start`/);
    assert.equal(result.details["ok"], false);
  }
});

test("the answer names the copy of a stored fact, or why there is none, and the daemon is asked once", async () => {
  const kept = { stored: true, key: "k", value: "v", sensitive: ["health"] };
  await withRagd(
    () => envelope(kept),
    async (ragd, host) => {
      const fact = { key: "k", value: "v", source: "a.md" };
      const text = await host.run("obsidian_rag_memory_store", fact);
      assert.match(text, /"data":{"stored":true,"key":"k","not_mirrored":"this session has no/);
      const elsewhere = { workspaceDir: "/nonexistent" };
      const other = await host.run("obsidian_rag_memory_store", fact, elsewhere);
      assert.match(other, /"not_mirrored":"it is sensitive"/);
      assert.equal(ragd.asked.length, 2);
    },
  );
});

test("/ragstatus shows the status without a model", async () => {
  await withRagd(
    () => envelope({ total_docs: 10, total_chunks: 18, version: "0.1.0" }),
    async (_ragd, host) => {
      registerExtras(host.api);
      assert.deepEqual(
        host.commands.map(({ name }) => name),
        ["ragstatus"],
      );
      assert.match(
        (await host.commands[0]?.handler())?.text ?? "",
        /^obsidian-rag is healthy \(10 notes/,
      );
    },
  );
});

const COUNTS = { total_docs: 10, total_chunks: 18, chunks_embedded: 12 };

for (const [fields, line] of [
  [{ phase: "requested", progress: 0, current: 0, total: 0 }, "Running: full, not started yet"],
  [
    { phase: "running", progress: 0.3, current: 3, total: 10 },
    "Running: full, 3 of 10 notes (30 %)",
  ],
  [
    { phase: "vectors", progress: 0.999, current: 999, total: 1000 },
    "Running: full, text is stored, vectors for 999 of 1000 passages (99 %)",
  ],
  [{ phase: "running", progress: 0.3 }, "Running: full, notes (30 %)"], // an older ragd
] as const) {
  test(`/ragstatus shows the progress of a job: ${line}`, async () => {
    const job = { id: "j1", mode: "full", ...fields };
    await withRagd(
      () => envelope({ ...COUNTS, active_job: job, chunks_pending: 3 }),
      async (_ragd, host) => {
        registerExtras(host.api);
        const said = (await host.commands[0]?.handler())?.text ?? "";
        assert.ok(said.split("\n").includes(line), said);
        const said_once = job.phase === "vectors" ? 0 : 1;
        assert.equal(said.match(/^Vectors: /gm)?.length ?? 0, said_once);
      },
    );
  });
}

test("/ragstatus shows the progress of the vectors", async () => {
  const building = { generation: "G2", total_chunks: 18, chunks_embedded: 9 };
  const counts = { total_docs: 10, total_chunks: 18, chunks_embedded: 12, chunks_pending: 4 };
  await withRagd(
    () => envelope({ ...counts, active_job: null, building }),
    async (_ragd, host) => {
      registerExtras(host.api);
      const said = (await host.commands[0]?.handler())?.text ?? "";
      assert.match(said, /^Vectors: 12 of 16 passages \(75 %\)$/m);
      assert.match(said, /^New index: vectors for 9 of 18 passages \(50 %\)$/m);
    },
  );
});

test("the service asks once and logs one line", async () => {
  await withRagd(
    () => envelope({ total_docs: 10, total_chunks: 18, version: "0.1.0" }),
    async (ragd, host) => {
      registerExtras(host.api);
      const logged = new Promise<string>((resolve) => {
        host.services[0]?.start({ logger: { info: resolve, warn: resolve } });
      });
      assert.equal(await logged, "obsidian-rag is healthy (10 notes, 18 passages, ragd 0.1.0)");
      host.services[0]?.stop();
      const again = new Promise<string>((resolve) => {
        host.services[0]?.start({ logger: { info: resolve, warn: resolve } });
      });
      assert.equal(await again, await logged);
      assert.equal(ragd.asked.length, 2);
      host.services[0]?.stop();
    },
  );
});

test("the notes join OpenClaw's own memory only when that is switched on", async () => {
  await withRagd(serving, async (ragd, host) => {
    registerExtras(host.api);
    assert.equal(host.corpora.length, 0);
    const willing = new FakeHost({ socketPath: ragd.socketPath, memoryCorpus: true });
    registerExtras(willing.api);
    const [hit] = (await willing.corpora[0]?.search({ query: "debts", maxResults: 3 })) ?? [];
    assert.equal(hit?.path, "Journal/2024-03-09.md");
    assert.deepEqual(ragd.asked.at(-1)?.body, { query: "debts", max_results: 3 });
  });
});

test("registering opens no socket, and discovery gets no service", async () => {
  await withRagd(serving, async (ragd) => {
    const host = new FakeHost({ socketPath: ragd.socketPath }, "discovery");
    registerExtras(host.api);
    for (const { name } of TOOLS) host.tool(name);
    assert.equal(host.services.length, 0);
    assert.equal(ragd.asked.length, 0);
  });
});

test("every request of a tool says who asks, whatever the arguments say", async () => {
  await withRagd(serving, async (ragd, host) => {
    const context = { agentId: "work", sessionKey: "agent:work:direct:ada" };
    const args = { query: "x", agent: "main", "x-ragd-agent": "main" };
    for (const { name } of TOOLS) await host.run(name, args, context);
    await host.run("obsidian_rag_status", {}); // nothing is known of the caller
    const askers = ragd.asked.map(({ asker }) => asker);
    assert.deepEqual(askers.pop(), ["", ""]);
    assert.ok(askers.length > TOOLS.length);
    for (const asker of askers) assert.deepEqual(asker, ["work", "direct"]);
  });
});

test("the slash command is an agent's too, the line in OpenClaw's log is the user's", async () => {
  await withRagd(serving, async (ragd, host) => {
    registerExtras(host.api);
    await host.commands[0]?.handler();
    assert.deepEqual(ragd.asked.at(-1)?.asker, ["", ""]);
    host.services[0]?.start({ logger: host.logger });
    while (host.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(ragd.asked.at(-1)?.asker, [undefined, undefined]);
  });
});

test("the description of the search lists the collections of this agent", async () => {
  const collections = [
    { name: "vault", context: "", private: false },
    { name: "papers", context: "About ice", private: false },
  ];
  await withRagd(
    ({ path }) => envelope(path === "/v1/collections" ? { collections } : {}),
    async (ragd, host) => {
      const plain = TOOLS.find(({ name }) => name === "obsidian_rag_search")?.description;
      assert.equal(host.tool("obsidian_rag_search").description, plain); // only listed: no request
      assert.equal(ragd.asked.length, 0);
      const tool = host.tool("obsidian_rag_search", { agentId: "work" });
      while (tool.description === plain) await new Promise((resolve) => setImmediate(resolve));
      assert.match(tool.description, /`collections`: vault; papers: About ice\.$/);
      assert.deepEqual(ragd.asked[0]?.asker, ["work", ""]);
      assert.ok(!host.tool("obsidian_rag_status", { agentId: "work" }).description.includes("ice"));
    },
  );
});

/** A ragd that withholds until it is told to release. */
function withholding(chat = "direct"): { reply: Reply; decisions: unknown[] } {
  const decisions: unknown[] = [];
  const waiting = {
    id: "k7m2qd",
    agent: "main",
    chat,
    asked: "my\ndebts",
    kinds: ["financial_debt"],
    withheld: 2,
    expires_in_s: 200,
  };
  const reply: Reply = ({ path, body, asker }) => {
    if (path.startsWith("/v1/approvals")) {
      assert.deepEqual(asker, [undefined, undefined]); // as the user
      if (path === "/v1/approvals") return envelope({ approvals: decisions.length ? [] : [waiting] });
      assert.equal(path, "/v1/approvals/k7m2qd");
      decisions.push(body["release"]);
      return envelope({ outcome: "released" });
    }
    if (!path.endsWith("search")) return envelope({ plugin_health: "healthy" });
    if (decisions[0] === true) return envelope(found([passage({ chunk_text: "70 dollars" })]));
    const refused = decisions[0] === false;
    return envelope(found([], { withheld: 2, approval: "k7m2qd", refused }));
  };
  return { reply, decisions };
}

const ASKED = { query: "my debts" };
const AGAIN = { ...ASKED, confirm: "k7m2qd" };
const MAIN = { agentId: "main", sessionKey: "agent:main:telegram:direct:7" };

/** What OpenClaw does: the hook, the decision, then the call without waiting for the callback. */
async function decided(host: FakeHost, decision: string, params: Record<string, unknown> = AGAIN) {
  const [{ handler }] = host.hooks as [FakeHost["hooks"][0]];
  const asked = await handler({ toolName: "obsidian_rag_search", params }, MAIN);
  void asked?.requireApproval.onResolution?.(decision);
  return { asked: asked?.requireApproval, text: await host.run("obsidian_rag_search", params, MAIN) };
}

test("withheld passages are shown after the user allowed it in OpenClaw", async () => {
  const { reply, decisions } = withholding();
  await withRagd(reply, async (_, host) => {
    registerExtras(host.api);
    assert.deepEqual(host.hooks.map(({ hook, matcher }) => [hook, matcher]), [
      [
        "before_tool_call",
        ["obsidian_rag_search", "obsidian_rag_read", "obsidian_rag_memory_search"],
      ],
      ["before_tool_call", ["obsidian_rag_memory_write", "obsidian_rag_memory_forget"]],
    ]);
    const first = await decided(host, "allow-once", ASKED);
    assert.equal(first.asked, undefined);
    assert.match(first.text, /WITHHELD: 2 .*confirm: "k7m2qd": OpenClaw then asks the user/);
    const { asked, text } = await decided(host, "allow-once");
    assert.deepEqual(asked?.allowedDecisions, ["allow-once", "deny"]);
    assert.equal(asked?.timeoutMs, 200_000);
    assert.ok((asked?.title.length ?? 99) <= 80 && (asked?.description.length ?? 999) <= 512);
    assert.match(asked?.description ?? "", /^2 passages of your notes \(financial_debt\), .*: “my debts”$/);
    assert.match(text, /70 dollars/);
    assert.deepEqual(decisions, [true]);
  });
});

test("a no is told to ragd, and the model is told not to ask again", async () => {
  const { reply, decisions } = withholding();
  await withRagd(reply, async (_, host) => {
    registerExtras(host.api);
    const { text } = await decided(host, "deny");
    assert.deepEqual(decisions, [false]);
    assert.match(text, /The user refused to show them/);
  });
});

for (const decision of ["timeout", "cancelled", "allow-always", "ALLOW-ONCE", "", "true"]) {
  test(`“${decision}” releases nothing`, async () => {
    const { reply, decisions } = withholding();
    await withRagd(reply, async (_, host) => {
      registerExtras(host.api);
      const { text } = await decided(host, decision);
      assert.deepEqual(decisions, []);
      assert.doesNotMatch(text, /70 dollars/);
    });
  });
}

test("no call of the model releases anything without a decision", async () => {
  const { reply, decisions } = withholding();
  await withRagd(reply, async (_, host) => {
    registerExtras(host.api);
    for (const confirm of ["k7m2qd", "guess", "", null, true, ["k7m2qd"], { id: "k7m2qd" }]) {
      assert.doesNotMatch(await host.run("obsidian_rag_search", { ...ASKED, confirm }, MAIN), /70 dollars/);
    }
    assert.deepEqual(decisions, []);
  });
});

test("the user is not asked for another agent, in a shared chat, or about another tool", async () => {
  for (const [chat, context, toolName] of [
    ["direct", { agentId: "other" }, "obsidian_rag_search"],
    ["direct", {}, "obsidian_rag_search"],
    ["group", MAIN, "obsidian_rag_search"],
    ["channel", MAIN, "obsidian_rag_search"],
    ["direct", MAIN, "exec"],
  ] as const) {
    const { reply } = withholding(chat);
    await withRagd(reply, async (_, host) => {
      registerExtras(host.api);
      const handler = host.hooks[0]?.handler;
      assert.equal(await handler?.({ toolName, params: AGAIN }, context), undefined);
    });
  }
});

test("where others read the chat, only the terminal releases", async () => {
  const { reply } = withholding("group");
  await withRagd(reply, async (ragd) => {
    const host = new FakeHost({ socketPath: ragd.socketPath, scope: "any" });
    const chat = { agentId: "main", sessionKey: "agent:main:telegram:group:-1" };
    const text = await host.run("obsidian_rag_search", ASKED, chat);
    assert.match(text, /Others read this chat, so only this shows them: .*ragctl approve k7m2qd/);
    assert.doesNotMatch(text, /OpenClaw then asks/);
  });
});

test("while ragd is down the hook asks nothing", async () => {
  const host = new FakeHost({ socketPath: "/nowhere/ragd.sock" });
  registerExtras(host.api);
  const asked = await host.hooks[0]?.handler({ toolName: "obsidian_rag_search", params: AGAIN }, MAIN);
  assert.equal(asked, undefined);
});
