/** Collections, access rules and contexts: what an agent gets through the gateway. */

import { mkdirSync, writeFileSync } from "node:fs";

import { SEARCH, STATUS } from "../src/tools.ts";
import { type Checks, expect, waitUntil } from "./checks.ts";
import { notesShown } from "./example_vault.ts";
import type { Gateway } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";

const WORD = "quillwort"; // in both collections
const CANARY = "zyzzogeton"; // in the secret collection only
const QUESTION = { query: `Where does the ${WORD} grow?` };

export async function aboutCollections(
  checks: Checks,
  sandbox: Sandbox,
  gateway: Gateway,
): Promise<void> {
  await checks.item("two collections are added next to the vault", () => addCollections(sandbox));
  await checks.item("a search finds a collection's note, with the user's words about it", async () => {
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    expect(text.includes("@papers/plants.md"), text);
    const [inside = "", after = ""] = text.split("<<<END NOTES");
    expect(!inside.includes("About plants") && /own words: About plants/.test(after), text);
    return after.split("\n").find((line) => line.startsWith("About")) ?? "";
  });
  await checks.item("`collections` limits a search", async () => {
    const { text } = await gateway.invoke(SEARCH.name, { ...QUESTION, collections: ["vault"] });
    expect(!text.includes("@papers"), text);
    return "";
  });
  await checks.item("an agent gets nothing of a collection that it may not search", async () => {
    for (const [tool, args] of [
      [SEARCH.name, QUESTION],
      [SEARCH.name, { query: WORD, collections: ["secret"] }],
      [SEARCH.name, { query: "x", agent: "other", directory_filter: ["@secret"] }],
      [STATUS.name, { verbose: true }],
    ] as const) {
      const { text } = await gateway.invoke(tool, args);
      expect(!new RegExp(`${CANARY}|secret/|cave`).test(text), text);
    }
    const { text } = await gateway.invoke(STATUS.name, {});
    const { data } = JSON.parse(text.split("\n")[0] ?? "");
    expect(data.total_docs === notesShown() + 1, text);
    return `${data.total_docs} notes`;
  });
  await checks.item("without the rule it is found", async () => {
    await sandbox.ragctl("config", "unset", "access");
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    expect(text.includes("@secret/cave.md"), text);
    for (const name of ["papers", "secret"]) await sandbox.ragctl("collection", "remove", name);
    await waitUntil(async () => {
      const { text } = await gateway.invoke(STATUS.name, {});
      return JSON.parse(text.split("\n")[0] ?? "").data.total_docs === notesShown();
    }, 60);
    return "";
  });
}

async function addCollections(sandbox: Sandbox): Promise<string> {
  const notes = { papers: ["plants.md", WORD], secret: ["cave.md", `${WORD} ${CANARY}`] } as const;
  const said: string[] = [];
  for (const [name, [file, word]] of Object.entries(notes)) {
    mkdirSync(sandbox.path(name));
    writeFileSync(sandbox.path(name, file), `# ${file}\n\nThe ${word} grows by the lake.\n`);
    said.push((await ragctl(sandbox, "collection", "add", sandbox.path(name), "--name", name)).trim());
  }
  await ragctl(sandbox, "context", "set", "@papers", "About plants");
  const rule = { match: { agent: "main" }, collections: ["vault", "papers"] };
  await ragctl(sandbox, "config", "set", "access.rules", JSON.stringify([rule]));
  await ragctl(sandbox, "sync");
  await ragctl(sandbox, "wait", "--for", "idle", "--timeout", "60");
  return said.join("\n");
}

async function ragctl(sandbox: Sandbox, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await sandbox.ragctl(...words);
  expect(code === 0, `ragctl ${words.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
