/** One whole turn of an agent with a scripted model, and the slash command without a model. */

import { type Checks, expect, waitUntil } from "./checks.ts";
import { notesShown } from "./example_vault.ts";
import type { Gateway } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";
import { type Call, ScriptedModel } from "./scripted_model.ts";

const QUESTION = "How much do I owe Sreenivas?";

const SEARCH = { name: "obsidian_rag_search", arguments: { query: QUESTION, max_results: 3 } };
const STATUS = { name: "tool_call", arguments: { id: "obsidian_rag_status", args: {} } };

export async function aboutAgents(
  checks: Checks,
  sandbox: Sandbox,
  gateway: Gateway,
): Promise<void> {
  await withModel(gateway, SEARCH, (model) => aboutSearching(checks, sandbox, gateway, model));
  await withModel(gateway, STATUS, () =>
    checks.item("the other tools are found through OpenClaw's catalogue", async () => {
      const said = await ask(sandbox, "e3", "How many notes are indexed?");
      expect(new RegExp(`total_docs[^0-9]*${notesShown()}\\b`).test(said), said);
      expect(/"obsidian_rag_status"/.test(said), `not among the tools that worked: ${said}`);
      return /total_docs[^,]*/.exec(said)?.[0] ?? "";
    }),
  );
}

async function withModel(
  gateway: Gateway,
  call: Call,
  run: (model: ScriptedModel) => Promise<void>,
): Promise<void> {
  const model = new ScriptedModel(call);
  await model.listen(gateway.modelPort);
  try {
    await run(model);
  } finally {
    model.close();
  }
}

async function aboutSearching(
  checks: Checks,
  sandbox: Sandbox,
  gateway: Gateway,
  model: ScriptedModel,
): Promise<void> {
  await checks.item("an agent's turn: the model searches and answers from the note", async () => {
    const said = await ask(sandbox, "e1", QUESTION);
    expect(
      /Paid Sreenivas another \$150/.test(said) && /Journal\/2025-11-08\.md#L5-L6/.test(said),
      said,
    );
    expect(/"obsidian_rag_search"/.test(said), `not among the tools that worked: ${said}`);
    return /Your notes say[^"]*/.exec(said)?.[0] ?? "";
  });
  await checks.item("obsidian_rag_search is offered to the model directly", async () => {
    expect(model.toolNames.includes("obsidian_rag_search"), model.toolNames.join(", "));
    return model.toolNames.join(", ");
  });
  await checks.item("the skill is in the prompt", async () => {
    const line = model.systemPrompt.split("\n").find((one) => /Obsidian notes \(journal/.test(one));
    expect(line, model.systemPrompt.slice(0, 3_000));
    return line.trim();
  });
  await checks.item("/ragstatus answers without the model", async () => {
    const before = model.requests.length;
    const said = await command(gateway, "/ragstatus");
    expect(said.startsWith(`obsidian-rag is healthy (${notesShown()} notes`), said);
    expect(model.requests.length === before, "the model was asked");
    return said;
  });
}

/** Sends a slash command as the web chat does. Returns the answer. */
async function command(gateway: Gateway, message: string): Promise<string> {
  const sessionKey = "agent:main:main";
  await gateway.rpc("chat.send", { sessionKey, message, idempotencyKey: "command-1" });
  let said = "";
  await waitUntil(async () => {
    const history = await gateway.rpc("chat.history", { sessionKey });
    const messages = history["messages"] as { role: string; content: { text?: string }[] }[];
    const answer = messages.find(({ role }) => role === "assistant");
    said = (answer?.content ?? []).map(({ text }) => text ?? "").join("\n");
    return said !== "";
  }, 90);
  return said || "no answer";
}

async function ask(sandbox: Sandbox, session: string, message: string): Promise<string> {
  const words = [
    "agent",
    "--agent",
    "main",
    "--session-id",
    session,
    "--message",
    message,
    "--json",
  ];
  const { stdout, stderr } = await sandbox.run("openclaw", ...words);
  return stdout || stderr;
}
