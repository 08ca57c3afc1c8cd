/** OpenClaw's own memory tools find the notes: off by default, then switched on. */

import { type Checks, expect, waitUntil } from "./checks.ts";
import type { Gateway } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";

const QUESTION = { query: "How much do I owe Sreenivas?", corpus: "all" };
const NOTE = "Journal/2025-11-08.md"; // the newest note about the debt

interface Hit {
  path: string;
  snippet: string;
  citation: string;
}

export async function aboutMemoryTools(
  checks: Checks,
  sandbox: Sandbox,
  gateway: Gateway,
): Promise<void> {
  await checks.item("memory_search does not find notes by default", async () => {
    const { text } = await gateway.invoke("memory_search", QUESTION);
    expect(/"results"/.test(text) && !text.includes(NOTE), text);
    return "";
  });
  await checks.item("with memoryCorpus on, memory_search finds notes", async () => {
    const key = "plugins.entries.obsidian-rag.config.memoryCorpus";
    const set = await sandbox.run("openclaw", "config", "set", key, "true");
    expect(set.code === 0, set.stdout + set.stderr);
    let said = "";
    await waitUntil(async () => {
      said = (await gateway.invoke("memory_search", QUESTION)).text;
      return said.includes(NOTE);
    }, 120); // the gateway applies the setting without a restart
    const hits = JSON.parse(said).results as Hit[];
    const hit = hits.find(({ path }) => path === NOTE);
    expect(hit && /SENSITIVE.*<<<NOTES \w+>>>.*Paid Sreenivas another \$150/s.test(hit.snippet), said);
    expect(hits.findIndex(({ path }) => path.startsWith("Journal/")) === hits.indexOf(hit), said);
    expect(!("title" in hit) && /<<<NOTES \w+>>>\nNote: .*\nTitle: /.test(hit.snippet), said);
    return hits.map(({ citation }) => citation).join(", ");
  });
  await checks.item("memory_get reads lines of a note", async () => {
    const args = { path: NOTE, from: 5, lines: 2, corpus: "all" };
    const { text } = await gateway.invoke("memory_get", args);
    const got = JSON.parse(text);
    expect(got.status === "ok" && got.fromLine === 5 && got.lineCount === 2, text);
    expect(/Paid Sreenivas another \$150/.test(got.text), text);
    const absent = await gateway.invoke("memory_get", { ...args, path: "Journal/absent.md" });
    expect(JSON.parse(absent.text).status === "not_found", absent.text);
    return got.text;
  });
  await checks.item("a group chat finds none, and is told why", async () => {
    const group = { sessionKey: "agent:main:telegram:group:-1" };
    const { text } = await gateway.invoke("memory_search", QUESTION, group);
    expect(/Others can read this chat/.test(text) && !text.includes(NOTE), text);
    return JSON.parse(text).warning;
  });
}
