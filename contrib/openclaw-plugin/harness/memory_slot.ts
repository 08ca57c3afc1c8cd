/** Both plugins together: the second one has OpenClaw's memory slot. It has a sandbox of its own. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ApprovingUser } from "./approving_user.ts";
import { type Checks, expect, waitUntil } from "./checks.ts";
import { startDaemon } from "./daemon.ts";
import { Gateway } from "./gateway.ts";
import { MEMORY_PLUGIN, PLUGIN, Sandbox } from "./sandbox.ts";
import { type Call, SAVED, ScriptedModel } from "./scripted_model.ts";

const ID = "obsidian-rag-memory";
const GROUP = { sessionKey: "agent:main:telegram:group:-1" };
const MAIN = "agent:main:main";
const FACT = { path: "memory/2026-11-18.md", text: "The user's boat is called Albatros.", append: true };
const READING_ON: Call[] = [
  { name: "memory_search", arguments: { query: "How much do I owe Sreenivas?", corpus: "wiki" } },
  { name: "memory_get", arguments: { path: "Journal/2025-11-08.md", from: 1, lines: 20 } },
];
const NEARLY_FULL = 185_000; // tokens of 200,000: OpenClaw compacts the conversation before the next turn
const QUESTION = { query: "What is the user's boat called?" };

export async function aboutMemorySlot(checks: Checks): Promise<void> {
  const sandbox = new Sandbox();
  try {
    await startDaemon(sandbox);
    const config = { timeoutMs: 60_000 };
    const entries = {
      "obsidian-rag": { enabled: true, config },
      // With dreaming, OpenClaw loads its own memory beside the slot, and its tools have the same names.
      [ID]: { enabled: true, config: { ...config, dreaming: { enabled: false } } },
    };
    const gateway = await Gateway.configured(sandbox, { allow: ["obsidian-rag", ID, "memory-core"], entries });
    await checks.item("memory slot: installing the second plugin takes the slot", () => install(sandbox));
    await checks.item("memory slot: the gateway starts with both plugins", async () => {
      await gateway.start();
      return "";
    });
    await aboutCalls(checks, gateway);
    await aboutTurns(checks, sandbox, gateway);
    await checks.item("memory slot: uninstalling gives the slot back", async () => {
      const gone = await sandbox.run("openclaw", "plugins", "uninstall", ID, "--force");
      const slot = slotOf(sandbox);
      expect(gone.code === 0 && (slot === undefined || slot === "memory-core"), `${slot} ${gone.stdout}${gone.stderr}`);
      return `slots.memory: ${slot ?? "OpenClaw's default"}`;
    });
  } finally {
    await sandbox.end();
  }
}

async function install(sandbox: Sandbox): Promise<string> {
  for (const folder of [PLUGIN, MEMORY_PLUGIN]) {
    const packed = await sandbox.runIn(folder, "npm", "pack", "--pack-destination", sandbox.folder);
    expect(packed.code === 0, packed.stdout + packed.stderr);
  }
  for (const name of readdirSync(sandbox.folder).filter((one) => one.endsWith(".tgz"))) {
    const words = ["plugins", "install", sandbox.path(name), "--force", "--accept-capabilities"];
    const done = await sandbox.run("openclaw", ...words);
    expect(done.code === 0, done.stdout + done.stderr);
  }
  expect(slotOf(sandbox) === ID, sandbox.read("state/openclaw.json"));
  return `slots.memory: ${slotOf(sandbox)}`;
}

function slotOf(sandbox: Sandbox): string | undefined {
  return JSON.parse(sandbox.read("state/openclaw.json")).plugins?.slots?.memory;
}

async function aboutCalls(checks: Checks, gateway: Gateway): Promise<void> {
  const user = await ApprovingUser.connected(gateway);
  await checks.item("memory slot: memory_write asks the user; a no writes nothing, a yes writes", async () => {
    await changed(gateway, user, "memory_write", { ...FACT, text: "xylograph" }, "deny");
    const { asked } = await changed(gateway, user, "memory_write", FACT, "allow-once");
    const said = await recalled(gateway, "Albatros");
    expect(!said.includes("xylograph"), said);
    return asked;
  });
  await checks.item("memory slot: memory_search finds own notes and the vault, memory_get reads on", async () => {
    const { results } = JSON.parse(await recalled(gateway, "Albatros"));
    const own = results.find(({ corpus }: { corpus: string }) => corpus === "memory");
    const { text } = await gateway.invoke("memory_get", { path: own.path });
    expect(JSON.parse(text).status === "ok" && text.includes("Albatros"), text);
    const vault = await gateway.invoke("memory_search", { query: "How much do I owe Sreenivas?", corpus: "wiki" });
    expect(vault.text.includes("Journal/2025-11-08.md"), vault.text);
    return own.path;
  });
  await checks.item("memory slot: a group chat sees nothing", async () => {
    for (const [tool, args] of [
      ["memory_search", QUESTION],
      ["memory_get", { path: `@memory/main/${FACT.path}` }],
      ["obsidian_rag_memory_search", QUESTION],
      ["obsidian_rag_read", { path: `@memory/main/${FACT.path}` }],
    ] as const) {
      const { text } = await gateway.invoke(tool, args, GROUP);
      expect(!/Albatros/.test(text) && /Others can read this chat/.test(text), `${tool}: ${text}`);
    }
    return "";
  });
  await checks.item("memory slot: memory_forget erases", async () => {
    const { asked } = await changed(gateway, user, "memory_forget", { path: FACT.path }, "allow-once");
    const { text } = await gateway.invoke("memory_search", QUESTION);
    expect(!text.includes("Albatros"), text);
    return asked;
  });
  user.close();
}

/** A call that changes the memory, as a client that lets the user decide. */
async function changed(gateway: Gateway, user: ApprovingUser, name: string, args: object, decision: string) {
  const running = gateway.rpc("tools.invoke", { name, args, confirm: true });
  const { title, description } = (await user.decide(decision)).request;
  return { asked: `${title}: ${description}`, answer: JSON.stringify(await running) };
}

async function recalled(gateway: Gateway, word: string): Promise<string> {
  let said = "";
  await waitUntil(async () => {
    said = (await gateway.invoke("memory_search", QUESTION)).text;
    return said.includes(word);
  }, 30);
  expect(said.includes(word), said);
  return said;
}

async function aboutTurns(checks: Checks, sandbox: Sandbox, gateway: Gateway): Promise<void> {
  const notes = () => notesOf(sandbox.path("home/.obsidian-rag"));
  await withModel(gateway, READING_ON, (model) =>
    checks.item("memory slot: an agent's turn searches and reads on", async () => {
      const words = ["--agent", "main", "--session-key", MAIN, "--message", "Which train do I like?", "--json"];
      const { stdout, stderr } = await sandbox.run("openclaw", "agent", ...words);
      expect(/"memory_search"/.test(stdout) && /"memory_get"/.test(stdout), stdout + stderr);
      expect(model.systemPrompt.includes("## Memory Recall"), model.systemPrompt.slice(0, 2_000));
      return "";
    }),
  );
  const user = await ApprovingUser.connected(gateway);
  await aboutRemembering(checks, gateway, user, notes);
  await withModel(gateway, [], async (model) => {
    await checks.item("memory slot: a new session (sessions.reset) leaves a short summary of the old one", async () => {
      await gateway.rpc("sessions.reset", { key: MAIN, reason: "new" });
      return summarised(sandbox, notes, "Which train do I like?");
    });
    await checks.item("memory slot: a compaction saves to ragd first, not to the workspace", async () => {
      model.promptTokens = NEARLY_FULL;
      await answered(user, "And again?");
      await waitUntil(async () => notes().includes(SAVED), 30);
      model.promptTokens = 1;
      await answered(user, "And the bus?");
      const history = await user.history(MAIN);
      expect(history.includes('"kind":"compaction"'), history);
      expect(notes().includes(SAVED), `${notes()}\n${sandbox.read("gateway.log").slice(-1_500)}`);
      const { stdout } = await sandbox.run("grep", "-rl", "--include=*.md", SAVED, "home", "state");
      const elsewhere = stdout.split("\n").filter((path) => path && !path.includes(".obsidian-rag"));
      expect(elsewhere.length === 0, stdout);
      return SAVED;
    });
    await checks.item("memory slot: /new typed in a chat leaves a short summary of the conversation", async () => {
      await answered(user, "Where is the ferry timetable?");
      await user.say(MAIN, "/new");
      const text = await summarised(sandbox, notes, "Where is the ferry timetable?");
      expect(!text.includes("Which train do I like?"), text);
      return text;
    });
  });
  user.close();
}

/** An agent that remembers something in one turn and forgets it in another. The user agrees both times. */
async function aboutRemembering(
  checks: Checks,
  gateway: Gateway,
  user: ApprovingUser,
  notes: () => string,
): Promise<void> {
  const agreed = (call: Call, message: string) =>
    withModel(gateway, [call], async () => {
      const running = answered(user, message);
      const { title, description } = (await user.decide("allow-once")).request;
      await running;
      return `${title}: ${description}`;
    });
  await checks.item("memory slot: an agent's turn remembers, after the user agreed", async () => {
    const asked = await agreed({ name: "memory_write", arguments: FACT }, "My boat is called Albatros. Remember that.");
    expect(notes().includes(FACT.text), notes());
    return asked;
  });
  await checks.item("memory slot: an agent's turn forgets, after the user agreed", async () => {
    const asked = await agreed({ name: "memory_forget", arguments: { path: FACT.path } }, "Forget my boat.");
    expect(!notes().includes(FACT.text), notes());
    const { text } = await gateway.invoke("memory_search", QUESTION);
    expect(!text.includes(FACT.text), text);
    return asked;
  });
}

/** Types a message that was not said before, and waits for the end of the assistant's turn. */
async function answered(user: ApprovingUser, message: string): Promise<void> {
  let history = "";
  const isAnswered = async () => {
    history = await user.history(MAIN);
    const asked = history.indexOf(message);
    const isOver = history.includes('"hasActiveRun":false'); // a message that comes before may be lost
    return isOver && asked >= 0 && history.includes('"stopReason":"stop"', asked);
  };
  await user.say(MAIN, message);
  await waitUntil(isAnswered, 120);
  expect(await isAnswered(), `no answer to: ${message}\n${history.slice(-1_500)}`);
}

async function withModel<T>(gateway: Gateway, calls: Call[], run: (model: ScriptedModel) => Promise<T>): Promise<T> {
  const model = new ScriptedModel(...calls);
  await model.listen(gateway.modelPort);
  try {
    return await run(model);
  } finally {
    model.close();
  }
}

/** Waits for a summary that quotes this. */
async function summarised(sandbox: Sandbox, notes: () => string, quoted: string): Promise<string> {
  const summary = () => notes().split("## Conversation until").slice(1).find((text) => text.includes(quoted));
  await waitUntil(async () => summary() !== undefined, 60);
  const text = summary();
  expect(text !== undefined, `${notes()}\n${sandbox.read("gateway.log").slice(-1_500)}`);
  return text;
}

/** The texts of all notes of agents in ragd's home. */
function notesOf(home: string): string {
  if (!existsSync(home)) return "";
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const own = names.filter((name) => name.endsWith(".md") && !name.includes("versions"));
  return own.map((name) => readFileSync(join(home, name), "utf8")).join("\n");
}
