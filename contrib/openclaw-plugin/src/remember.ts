/** Decides whether a remembered fact may also go to the agent's own memory, and writes it there. */

import { type Fact, mirror, MIRROR_FILE } from "./mirror.js";
import type { Mirror } from "./settings.js";

export interface Workspace {
  workspaceDir?: string | undefined;
  sandboxed?: boolean | undefined;
}

/** A fact as the daemon keeps it, and what its guard found in it and in its note. */
export interface Judged extends Fact {
  /** The categories; null if unknown. */
  sensitive: readonly unknown[] | null;
  suspect: boolean;
}

/** The stored fact and the findings of the guard, from the daemon's answer. */
export function judged(given: Record<string, unknown>, data: Record<string, unknown>): Judged {
  return {
    key: String(data["key"]),
    value: String(data["value"] ?? given["value"]),
    source: String(given["source"]),
    sensitive: Array.isArray(data["sensitive"]) ? data["sensitive"] : null,
    suspect: data["injection_suspected"] === true,
  };
}

/** What to add to the answer: the file that has a copy, or why there is none. Never rejects. */
export async function mirrored(
  setting: Mirror,
  fact: Judged,
  { workspaceDir, sandboxed }: Workspace,
): Promise<Record<string, string>> {
  if (setting === "off") return {};
  if (!workspaceDir || sandboxed)
    return { not_mirrored: "this session has no workspace of its own" };
  if (fact.suspect) return { not_mirrored: "the note reads like orders to an agent" };
  if (setting === "non-sensitive") {
    if (fact.sensitive === null) return { not_mirrored: "could not tell whether it is sensitive" };
    if (fact.sensitive.length > 0) return { not_mirrored: "it is sensitive" };
  }
  try {
    await mirror(workspaceDir, fact);
    return { mirrored_to: MIRROR_FILE };
  } catch {
    return { not_mirrored: `${MIRROR_FILE} cannot be written` };
  }
}
