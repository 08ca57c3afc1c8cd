/** Past conversations: ragd reads them from OpenClaw's own database while the gateway writes it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { SEARCH } from "../src/tools.ts";
import { type Checks, expect, waitUntil } from "./checks.ts";
import type { Gateway } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";
import { ScriptedModel } from "./scripted_model.ts";

const WORD = "gannetcolony"; // said in one conversation, and nowhere else
const SECRET = "Qv7-Lm2_xT9pW4zK";
const KEY = "agent:main:explicit:told";
const SAID = [
  `Where is the ${WORD}? Kennwort: "${SECRET}"`, // what follows "password:" OpenClaw leaves out itself
  "We walked along the cliffs. ".repeat(4_000), // over 100 KB, so that the conversation is read at once
];
const GROUP = { sessionKey: "agent:main:telegram:group:-1" };
const OTHER = { sessionKey: "agent:work:main" };
const QUESTION = { query: WORD, collections: ["sessions"] };

export async function aboutSessions(checks: Checks, sandbox: Sandbox, gateway: Gateway): Promise<void> {
  const home = sandbox.path("home/.obsidian-rag");
  const database = sandbox.path("state/agents/main/agent");
  await checks.item("sessions: a conversation with a secret is in OpenClaw's database", async () => {
    const model = new ScriptedModel();
    await model.listen(gateway.modelPort);
    for (const message of SAID) {
      const words = ["agent", "--agent", "main", "--session-key", KEY, "--message", message, "--json"];
      const { code, stdout, stderr } = await sandbox.run("openclaw", ...words);
      expect(code === 0, stdout + stderr);
    }
    model.close();
    const held = filesWith(database, SECRET);
    expect(held.length > 0, "OpenClaw left it out itself");
    return held.join(", ");
  });
  await checks.item("sessions: nothing is read unless it is switched on", async () => {
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    expect(/UNKNOWN_COLLECTION/.test(text) && filesWith(home, WORD).length === 0, text);
    return "";
  });
  await checks.item("sessions: the agent finds its conversation, with a citation of the message", async () => {
    await ragctl(sandbox, "config", "set", "sessions.path", sandbox.path("state/agents"));
    await ragctl(sandbox, "config", "set", "sessions.enabled", "true");
    let said = "";
    await waitUntil(async () => {
      said = (await gateway.invoke(SEARCH.name, QUESTION)).text;
      return said.includes(`Where is the ${WORD}`);
    }, 120);
    const citation = /@sessions\/main\/[\w-]+\.jsonl#message=1/.exec(said)?.[0];
    expect(citation && said.includes(`Where is the ${WORD}`), said.slice(0, 3_000));
    expect(said.includes("[secret]") && !said.includes(SECRET), said.slice(0, 3_000));
    const shown = await ragctl(sandbox, "show", citation);
    expect(shown.includes(WORD) && !shown.includes(SECRET), shown.slice(0, 3_000));
    return citation;
  });
  await checks.item("sessions: the secret is in no file of ragd", async () => {
    const held = filesWith(home, WORD);
    expect(held.length > 0, "the search of bytes finds nothing");
    expect(filesWith(home, SECRET).length === 0, filesWith(home, SECRET).join(", "));
    return `the conversation is in ${held.length} files`;
  });
  await checks.item("sessions: a group chat and another agent see nothing of it", async () => {
    const said = new Set<string>();
    for (const asker of [GROUP, OTHER]) {
      for (const args of [QUESTION, { query: WORD }, { query: WORD, directory_filter: ["@sessions/main"] }]) {
        const { text } = await gateway.invoke(SEARCH.name, args, asker);
        expect(!/Where is the|@sessions\/main\/\w/.test(text), `${JSON.stringify(asker)}: ${text}`);
        said.add(/SCOPE_REFUSED|UNKNOWN_[A-Z]+/.exec(text)?.[0] ?? "notes only");
      }
    }
    return [...said].join(", ");
  });
  await checks.item("sessions: a conversation that OpenClaw deletes leaves the index", async () => {
    const deleted = await gateway.rpc("sessions.delete", { key: KEY });
    expect(deleted["deleted"] === true, JSON.stringify(deleted));
    const notes = async () => {
      const { collections } = JSON.parse(await ragctl(sandbox, "collection", "list", "--json"));
      return collections.find(({ name }: { name: string }) => name === "sessions/main").notes;
    };
    await waitUntil(async () => (await notes()) === 0, 60);
    expect((await notes()) === 0, `${await notes()} conversations`);
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    expect(!text.includes("Where is the"), text);
    await ragctl(sandbox, "config", "unset", "sessions");
    return "";
  });
}

/** The files below a folder with this text. */
function filesWith(folder: string, text: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return files.filter((path) => readFileSync(path).includes(text));
}

async function ragctl(sandbox: Sandbox, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await sandbox.ragctl(...words);
  expect(code === 0, `ragctl ${words.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}
