/** Tells a model which collections there are, in the description of the search. If the daemon has not
 * answered yet, the description says nothing about them. */

import type { Client } from "./client.js";
import { type Envelope, isObject } from "./envelope.js";
import { defused, oneLine } from "./fence.js";

const FRESH_MS = 60_000;
const MOST = 20; // collections that are listed
const MOST_AGENTS = 100; // whose lists are kept
const CONTEXT_CHARS = 200;

/** The sentences, by agent and chat. */
export class CollectionLists {
  readonly #known = new Map<string, { sentence: string; askedAt: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The sentence for this agent, as last heard. Asks again in the background, at most once a minute. */
  sentence(client: Client, agent: string): string {
    const known = this.#known.get(agent);
    if (!known || this.#now() - known.askedAt >= FRESH_MS) {
      this.#keep(agent, known?.sentence ?? "");
      void client.collections().then((answer) => {
        if (answer.data !== null) this.#keep(agent, describe(answer));
      });
    }
    return known?.sentence ?? "";
  }

  #keep(agent: string, sentence: string): void {
    this.#known.delete(agent);
    this.#known.set(agent, { sentence, askedAt: this.#now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_AGENTS && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The names and contexts are the user's own words, so they need no fence. Empty for a vault alone. */
export function describe({ data }: Envelope): string {
  const list = Array.isArray(data?.["collections"]) ? data["collections"].filter(isObject) : [];
  const [first] = list;
  if (!first || (list.length === 1 && first["name"] === "vault" && !first["context"])) return "";
  const shown = list.slice(0, MOST).map(entry).join("; ");
  const more = list.length > MOST ? `; and ${list.length - MOST} more` : "";
  return `The collections, to be named in \`collections\`: ${shown}${more}.`;
}

function entry(one: Record<string, unknown>): string {
  const secret = one["private"] === true ? " (searched only when it is named)" : "";
  const words = contextLine(one["context"]).replace(/[.;]+$/, "");
  const cut = words.length > CONTEXT_CHARS ? `${words.slice(0, CONTEXT_CHARS).trimEnd()}…` : words;
  return `${contextLine(one["name"])}${secret}${cut && `: ${cut}`}`;
}

/** The user's words about a place, on one line. */
export function contextLine(words: unknown): string {
  return typeof words === "string" ? oneLine(defused(words)).trim() : "";
}
