/** The tools of the contract through the gateway: valid and invalid calls, with and without the daemon. */

import { request } from "node:http";

import { SEARCH, STATUS, TOOLS } from "../src/tools.ts";
import { type Checks, expect } from "./checks.ts";
import { notesShown } from "./example_vault.ts";
import type { Gateway, Invoked } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";

const QUESTION = "How much do I owe Sreenivas?";
const SHELF = {
  key: "spice_shelf",
  value: "The spice shelf will be made of oak.",
  source: "Projects/Gewürzregal.md",
};
const DEBT = {
  key: "debt_to_sreenivas",
  value: "I still owe Sreenivas $70.",
  source: "Journal/2024-03-09.md",
};

export async function aboutTools(
  checks: Checks,
  sandbox: Sandbox,
  gateway: Gateway,
): Promise<void> {
  await checks.item("the parameters are those that the daemon publishes", () =>
    sameParameters(sandbox),
  );

  const ways: [string, (tool: string, args: unknown) => Promise<Invoked>][] = [
    ["POST /tools/invoke", (tool, args) => gateway.invoke(tool, args)],
    ["gateway RPC", (tool, args) => gateway.call(tool, args)],
  ];
  for (const [way, call] of ways) {
    await checks.item(`${way}: obsidian_rag_search`, async () => {
      const { text } = await call(SEARCH.name, { query: QUESTION, max_results: 2 });
      const inside = /<<<NOTES (\w{24})>>>\n(.*)\n<<<END NOTES \1>>>/s.exec(text)?.[2];
      expect(inside, text);
      const { data } = JSON.parse(inside);
      expect(data.results[0].source_file === "Journal/2025-11-08.md", inside);
      expect(data.sensitive_detected === true && /SENSITIVE: .*ask the user/.test(text), text);
      return `${data.results[0].chunk_text} (${data.results[0].citation})`;
    });
    await checks.item(`${way}: obsidian_rag_index`, async () => {
      const { data } = plain(await call("obsidian_rag_index", { mode: "sync" }));
      expect(
        data?.["status"] === "started" && typeof data["job_id"] === "string",
        JSON.stringify(data),
      );
      return `job ${data["job_id"]}`;
    });
    await checks.item(`${way}: obsidian_rag_status`, async () => {
      const { data } = plain(await call(STATUS.name, {}));
      expect(
        data?.["plugin_health"] === "healthy" && data["total_docs"] === notesShown(),
        JSON.stringify(data),
      );
      return `${data["plugin_health"]}, ${data["total_docs"]} notes`;
    });
    await checks.item(`${way}: obsidian_rag_memory_store`, async () => {
      const { data } = plain(await call("obsidian_rag_memory_store", SHELF));
      expect(data?.["stored"] === true && data["key"] === SHELF.key, JSON.stringify(data));
      return JSON.stringify(data);
    });
  }

  await checks.item("bad arguments name the field", () => badArguments(gateway));
  await checks.item("a group chat is refused", async () => {
    const { text } = await gateway.invoke(
      SEARCH.name,
      { query: QUESTION },
      { sessionKey: "agent:main:telegram:group:-1" },
    );
    expect(/SCOPE_REFUSED/.test(text) && !/Sreenivas/.test(text), text);
    return text.split("\n").at(-1) ?? "";
  });
  await checks.item(
    "a harmless memory is copied into the agent's workspace, a sensitive one is not",
    async () => {
      const { data } = plain(await gateway.invoke("obsidian_rag_memory_store", DEBT));
      const page = sandbox.read(await memoryPage(sandbox));
      expect(page.includes(SHELF.value) && !page.includes(DEBT.value), page);
      return `${JSON.stringify(data)}\n${page.trim().split("\n").at(-1)}`;
    },
  );
  await checks.item("daemon stopped: the next command; started again: answers", async () => {
    await sandbox.ragctl("stop");
    const away = await gateway.invoke(SEARCH.name, { query: QUESTION });
    expect(/DAEMON_NOT_RUNNING/.test(away.text) && /`ragctl start`/.test(away.text), away.text);
    expect(away.details["ok"] === false, JSON.stringify(away.details));
    await sandbox.ragctl("start");
    await sandbox.ragctl("wait", "--for", "healthy", "--timeout", "60");
    const back = await gateway.invoke(SEARCH.name, { query: QUESTION });
    expect(/Journal\/2025-11-08\.md/.test(back.text), back.text);
    return away.text.split("\n").at(-1) ?? "";
  });
}

async function badArguments(gateway: Gateway): Promise<string> {
  const said: string[] = [];
  for (const [tool, args, named] of [
    [SEARCH.name, {}, /`query` is required/],
    [SEARCH.name, { query: "x", bogus: 1 }, /`bogus` is unknown/],
    [SEARCH.name, { query: "x", max_results: 99 }, /`max_results`/],
    [SEARCH.name, { query: "x", directory_filter: ["../.."] }, /SECURITY_VIOLATION/],
    [SEARCH.name, { query: "x", collections: ["nowhere"] }, /UNKNOWN_COLLECTION/],
    ["obsidian_rag_index", { mode: "nuke" }, /`mode`/],
    ["obsidian_rag_memory_store", { key: "k", value: "v" }, /`source` is required/],
  ] as const) {
    const { text, details } = await gateway.invoke(tool, args);
    expect(named.test(text) && details["ok"] === false, text);
    said.push(String(details["error"]));
  }
  const { text, details } = await gateway.call(SEARCH.name, { query: 7 });
  expect(/`query`/.test(text) && details["ok"] === false, text);
  return said.join(", ");
}

/** Names, kinds and limits of every parameter, as the daemon and as the plugin declare them. */
async function sameParameters(sandbox: Sandbox): Promise<string> {
  const { data } = JSON.parse(await get(sandbox.path("home/.obsidian-rag/ragd.sock"), "/v1/tools"));
  const theirs = data.tools.map((tool: { name: string; parameters: unknown }) => [
    tool.name,
    skeleton(tool.parameters),
  ]);
  const ours = TOOLS.map((tool) => [tool.name, skeleton(tool.parameters)]);
  expect(
    JSON.stringify(ours) === JSON.stringify(theirs),
    `${JSON.stringify(ours)}\n${JSON.stringify(theirs)}`,
  );
  return TOOLS.map(({ name }) => name).join(", ");
}

/** Parameters of the daemon for people's clients only: a model has no use for them. */
const FOR_PEOPLE = ["mark_sentences"];

const LIMITS = ["minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern"];

type Schema = Record<string, unknown>;

/** A schema without its texts: references resolved, `null` as an alternative left out. */
function skeleton(schema: unknown, definitions?: Schema): unknown {
  const one = schema as Schema;
  const defs = definitions ?? ((one["$defs"] ?? {}) as Schema);
  if (typeof one["$ref"] === "string")
    return skeleton(defs[one["$ref"].split("/").at(-1) ?? ""], defs);
  if (Array.isArray(one["anyOf"]))
    return skeleton(
      (one["anyOf"] as Schema[]).find(({ type }) => type !== "null"),
      defs,
    );
  const properties = Object.entries((one["properties"] ?? {}) as Schema).filter(
    ([name]) => !FOR_PEOPLE.includes(name),
  );
  return {
    type: one["type"] ?? "string",
    limits: LIMITS.map((name) => one[name] ?? null),
    options: Array.isArray(one["enum"]) ? [...one["enum"]].sort() : null,
    required: [...((one["required"] ?? []) as string[])].sort(),
    items: one["items"] ? skeleton(one["items"], defs) : null,
    properties: properties.map(([name, value]) => [name, skeleton(value, defs)]),
  };
}

function get(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => resolve(String(Buffer.concat(parts))));
    })
      .on("error", reject)
      .end();
  });
}

async function memoryPage(sandbox: Sandbox): Promise<string> {
  const { stdout } = await sandbox.run(
    "find",
    ".",
    "-name",
    "obsidian-rag.md",
    "-path",
    "*/memory/*",
  );
  const [page] = stdout.trim().split("\n");
  expect(page, "no page was written");
  return page;
}

function plain({ text }: Invoked): { data: Schema | null } {
  return JSON.parse(text.split("\n")[0] ?? "");
}
