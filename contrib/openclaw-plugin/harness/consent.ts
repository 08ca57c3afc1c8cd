/** Withheld passages: shown only after a decision of the user, in OpenClaw or in a terminal. */

import { SEARCH } from "../src/tools.ts";
import { ApprovingUser } from "./approving_user.ts";
import { type Checks, expect } from "./checks.ts";
import type { Gateway } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";
import { ScriptedModel } from "./scripted_model.ts";

const QUESTION = { query: "How much do I owe Sreenivas?", max_results: 2 };
const SECRET = /owe Sreenivas \$\d/;

export async function aboutConsent(checks: Checks, sandbox: Sandbox, gateway: Gateway): Promise<void> {
  const set = (key: string, value: string) => sandbox.ragctl("config", "set", key, value);
  await set("security.sensitive", "block");
  await checks.item("withheld passages: the model gets an id that shows nothing", async () => {
    const { line, id } = await ask(gateway);
    const blocked = await gateway.invoke(SEARCH.name, { ...QUESTION, confirm: id }).catch(String);
    expect(!SECRET.test(JSON.stringify(blocked)), JSON.stringify(blocked));
    const asked = await gateway.rpc("tools.invoke", { name: SEARCH.name, args: { ...QUESTION, confirm: id } });
    expect(asked["ok"] === false && asked["requiresApproval"] === true, JSON.stringify(asked));
    expect((await waiting(sandbox)).includes(id), "it does not wait any more");
    return line;
  });
  const user = await ApprovingUser.connected(gateway);
  await checks.item("withheld passages: OpenClaw asks the user, and a yes shows them once", async () => {
    const { id } = await ask(gateway);
    const { asked, answer } = await decide(gateway, user, id, "allow-once");
    expect(SECRET.test(answer), answer);
    await ask(gateway); // the same question is withheld again
    return asked;
  });
  await checks.item("withheld passages: after a no they stay withheld", async () => {
    const { id } = await ask(gateway);
    const { answer } = await decide(gateway, user, id, "deny");
    expect(!SECRET.test(answer), answer);
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    expect(!SECRET.test(text) && /The user refused/.test(text), text);
    expect(!(await waiting(sandbox)).includes(id), "it still waits");
    return text.split("\n").find((one) => one.startsWith("WITHHELD")) ?? "";
  });
  user.close();
  await checks.item("withheld passages: a run in which OpenClaw cannot ask is blocked", async () => {
    const { id } = await ask(gateway, { ...QUESTION, max_results: 4 });
    const said = await agentRun(sandbox, gateway, { ...QUESTION, max_results: 4, confirm: id });
    expect(/approval unavailable/i.test(said) && !SECRET.test(said), said);
    expect((await waiting(sandbox)).includes(id), "it does not wait any more");
    return /Plugin approval unavailable[^"\\]*/.exec(said)?.[0] ?? "";
  });
  await checks.item("withheld passages: `ragctl approve` releases them, too", async () => {
    const other = { ...QUESTION, max_results: 3 };
    const { id } = await ask(gateway, other);
    const { stdout } = await sandbox.ragctl("approve", id, "--yes");
    const { text } = await gateway.invoke(SEARCH.name, { ...other, confirm: id });
    expect(SECRET.test(text), text);
    return stdout.trim();
  });
  await checks.item('withheld passages: with security.confirm "token", the token shows them', async () => {
    await set("security.confirm", "token");
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    const token = /WITHHELD: .* confirm: "([^"]+)"/.exec(text)?.[1];
    expect(token && !SECRET.test(text), text);
    const second = (await gateway.invoke(SEARCH.name, { ...QUESTION, confirm: token })).text;
    expect(SECRET.test(second), second);
    return "";
  });
  await set("security.confirm", "person");
  await set("security.sensitive", "flag");
}

/** A search that is answered without the passages; the id under which they wait. */
async function ask(gateway: Gateway, question: object = QUESTION): Promise<{ line: string; id: string }> {
  const { text } = await gateway.invoke(SEARCH.name, question);
  const line = text.split("\n").find((one) => one.startsWith("WITHHELD")) ?? "";
  const id = /repeat this same call with confirm: "([^"]+)": OpenClaw/.exec(line)?.[1];
  expect(id && !SECRET.test(text), text);
  return { line, id };
}

/** Repeats the search as a client that lets the user decide. */
async function decide(
  gateway: Gateway,
  user: ApprovingUser,
  id: string,
  decision: string,
): Promise<{ asked: string; answer: string }> {
  const args = { ...QUESTION, confirm: id };
  const running = gateway.rpc("tools.invoke", { name: SEARCH.name, args, confirm: true });
  const { title, description } = (await user.decide(decision)).request;
  return { asked: `${title}: ${description}`, answer: JSON.stringify(await running) };
}

/** One turn of an agent in a terminal, with a model that makes this call. */
async function agentRun(sandbox: Sandbox, gateway: Gateway, args: Record<string, unknown>): Promise<string> {
  const model = new ScriptedModel({ name: SEARCH.name, arguments: args });
  await model.listen(gateway.modelPort);
  try {
    const words = ["--agent", "main", "--session-id", "c1", "--message", "Show it.", "--json"];
    const { stdout, stderr } = await sandbox.run("openclaw", "agent", ...words);
    return `${stdout}${stderr}${JSON.stringify(model.requests)}`;
  } finally {
    model.close();
  }
}

async function waiting(sandbox: Sandbox): Promise<string> {
  return (await sandbox.ragctl("approve", "--json")).stdout;
}
