/** Withheld passages: shown only after a decision of the user, in OpenClaw or in a terminal. */

import { SEARCH } from "../src/tools.ts";
import { type Checks, expect, waitUntil } from "./checks.ts";
import type { Gateway } from "./gateway.ts";
import type { Sandbox } from "./sandbox.ts";

const QUESTION = { query: "How much do I owe Sreenivas?", max_results: 2 };
const SECRET = /I still owe Sreenivas \$70/;

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
  await checks.item("withheld passages: OpenClaw asks the user, and a yes shows them once", async () => {
    const { id } = await ask(gateway);
    const { asked, answer } = await decide(gateway, id, "allow-once");
    expect(SECRET.test(answer), answer);
    await ask(gateway); // the same question is withheld again
    return asked;
  });
  await checks.item("withheld passages: after a no they stay withheld", async () => {
    const { id } = await ask(gateway);
    const { answer } = await decide(gateway, id, "deny");
    expect(!SECRET.test(answer), answer);
    const { text } = await gateway.invoke(SEARCH.name, QUESTION);
    expect(!SECRET.test(text) && /The user refused/.test(text), text);
    expect(!(await waiting(sandbox)).includes(id), "it still waits");
    return text.split("\n").find((one) => one.startsWith("WITHHELD")) ?? "";
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

/** Repeats the search, and decides as the user when OpenClaw asks. */
async function decide(
  gateway: Gateway,
  id: string,
  decision: string,
): Promise<{ asked: string; answer: string }> {
  const args = { ...QUESTION, confirm: id };
  const running = gateway.rpc("tools.invoke", { name: SEARCH.name, args, confirm: true });
  let open: { id: string; request: { title: string; description: string } } | undefined;
  await waitUntil(async () => {
    const listed: unknown = await gateway.rpc("plugin.approval.list", {});
    open = (Array.isArray(listed) ? listed : [])[0];
    return open !== undefined;
  }, 60);
  expect(open, `OpenClaw did not ask: ${JSON.stringify(await running)}`);
  await gateway.rpc("plugin.approval.resolve", { id: open.id, decision });
  const { title, description } = open.request;
  return { asked: `${title}: ${description}`, answer: JSON.stringify(await running) };
}

async function waiting(sandbox: Sandbox): Promise<string> {
  return (await sandbox.ragctl("approve", "--json")).stdout;
}
