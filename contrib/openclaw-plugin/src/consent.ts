/** Asks the user in OpenClaw whether to show withheld passages, with OpenClaw's own approvals.
 *
 * Only a decision that OpenClaw reports releases anything. The model can only cause the question: it
 * repeats its call with the id from the answer. What the question says comes from ragd, not from the call.
 * Where OpenClaw cannot ask, or others read the chat, the user types `ragctl approve`. */

import { MEMORY_SEARCH, READ } from "./agent_tools.js";
import { askerOf } from "./asker.js";
import type { Client } from "./client.js";
import { isObject } from "./envelope.js";
import { defused, oneLine } from "./fence.js";
import type { BeforeToolCall, BeforeToolCallResult, HookContext } from "./host.js";
import type { StoredSession } from "./scope.js";
import { SEARCH } from "./tools.js";

/** The tools whose answers may withhold text. */
export const WITHHOLDING: [string, ...string[]] = [SEARCH.name, READ.name, MEMORY_SEARCH.name];

const ASKED_CHARS = 200;
const MOST_DECIDED = 64;

/** What OpenClaw may report, and whether it releases. Every other word releases and refuses nothing. */
const DECISIONS = new Map([
  ["allow-once", true],
  ["deny", false],
]);

type Waiting = Record<string, unknown>;

export class Consent {
  /** By id: the request that tells ragd the decision. OpenClaw does not wait for it. */
  readonly #decided = new Map<string, Promise<unknown>>();

  /** The question to the user before a call, if it asks for withheld passages. */
  async before(
    { toolName, params }: BeforeToolCall,
    context: HookContext,
    user: Client,
    stored: StoredSession,
  ): Promise<BeforeToolCallResult | undefined> {
    const id = confirmOf(params);
    if (!WITHHOLDING.includes(toolName) || id === undefined) return undefined;
    const waiting = await find(user, id);
    const agent = askerOf(context, stored).agent.trim().toLowerCase();
    if (!waiting || waiting["agent"] !== agent || isShared(waiting)) return undefined;
    return {
      requireApproval: {
        ...question(waiting),
        severity: "warning",
        allowedDecisions: ["allow-once", "deny"],
        timeoutMs: Math.max(1, Number(waiting["expires_in_s"]) || 1) * 1_000,
        onResolution: (decision) => this.#resolve(user, id, decision),
      },
    };
  }

  /** Waits until ragd knows what was decided about the passages that this call asks for. */
  async settled(params: unknown): Promise<void> {
    const id = confirmOf(params);
    if (id !== undefined) await this.#decided.get(id);
  }

  async #resolve(user: Client, id: string, decision: string): Promise<void> {
    const release = DECISIONS.get(decision);
    if (release === undefined) return; // timed out or cancelled: it still waits for `ragctl approve`
    for (const old of this.#decided.keys()) {
      if (this.#decided.size < MOST_DECIDED) break;
      this.#decided.delete(old);
    }
    const told = user.decide(id, release);
    this.#decided.set(id, told);
    await told;
  }
}

/** Others read this chat, so a yes there could be anybody's. */
function isShared({ chat }: Waiting): boolean {
  return chat !== "direct" && chat !== "";
}

async function find(user: Client, id: string): Promise<Waiting | undefined> {
  const { data } = await user.approvals();
  const listed = data?.["approvals"];
  return Array.isArray(listed) ? listed.filter(isObject).find((one) => one["id"] === id) : undefined;
}

/** OpenClaw cuts a title at 80 characters and a description at 512. */
function question(waiting: Waiting): { title: string; description: string } {
  const count = Number(waiting["withheld"]);
  const kinds = Array.isArray(waiting["kinds"]) ? waiting["kinds"].join(", ") : "";
  const asked = oneLine(String(waiting["asked"]).replaceAll(/\p{Cf}/gu, "")); // nothing invisible
  const shown = asked.length > ASKED_CHARS ? `${asked.slice(0, ASKED_CHARS)} …` : asked;
  return {
    title: "Show sensitive notes to the assistant",
    description: defused(
      `${count} ${count === 1 ? "passage" : "passages"} of your notes${kinds && ` (${kinds})`}, ` +
        `shown once to this assistant and the model it uses. It asked for: “${shown}”`,
    ),
  };
}

function confirmOf(params: unknown): string | undefined {
  const id = isObject(params) ? params["confirm"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}
