/** Decides whether a remembered fact may also go into the agent's own memory, and puts it there. */

import type { Client } from "./client.js";
import { isObject } from "./envelope.js";
import { type Fact, mirror, MIRROR_FILE } from "./mirror.js";
import type { Mirror } from "./settings.js";
import { SEARCH } from "./tools.js";

export interface Workspace {
  workspaceDir?: string | undefined;
  sandboxed?: boolean | undefined;
}

/** What the daemon's guard thinks of a fact; null when it could not tell. */
interface Opinion {
  fact: Fact;
  sensitive: boolean;
  suspect: boolean;
}

const QUERY_CHARS = 2_000;
const PASSAGES = 10;

/** What to add to the answer: where the fact went as well, or why it did not. Never rejects. */
export async function mirrored(
  client: Client,
  setting: Mirror,
  fact: Fact,
  { workspaceDir, sandboxed }: Workspace,
  signal?: AbortSignal,
): Promise<Record<string, string>> {
  if (setting === "off") return {};
  if (!workspaceDir || sandboxed)
    return { not_mirrored: "this session has no workspace of its own" };
  const opinion = await ask(client, fact, signal);
  if (opinion?.suspect) return { not_mirrored: "the note reads like orders to an agent" };
  if (setting === "non-sensitive") {
    if (opinion === null) return { not_mirrored: "could not tell whether it is sensitive" };
    if (opinion.sensitive) return { not_mirrored: "it is sensitive" };
  }
  try {
    await mirror(workspaceDir, opinion?.fact ?? fact);
    return { mirrored_to: MIRROR_FILE };
  } catch {
    return { not_mirrored: `${MIRROR_FILE} cannot be written` };
  }
}

/** A search for the fact itself tells: it comes back judged, and so do its note's passages. */
async function ask(client: Client, fact: Fact, signal?: AbortSignal): Promise<Opinion | null> {
  const query = `${fact.key}\n${fact.value}`.slice(0, QUERY_CHARS);
  const answer = await client.call(SEARCH.name, { query, max_results: PASSAGES }, signal);
  const memories = objects(answer.data?.["memories"]);
  const memory = memories.find((one) => one["key"] === fact.key);
  if (!memory) return null; // withheld, or not found: nobody has judged it
  const source = String(memory["source"]);
  const passages = objects(answer.data?.["results"]).filter((one) => one["source_file"] === source);
  return {
    fact: { key: fact.key, value: String(memory["value"]), source },
    sensitive: [memory, ...passages].some((one) => howMany(one["sensitive"]) > 0),
    suspect: passages.some((one) => one["injection_suspected"] === true),
  };
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function howMany(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
