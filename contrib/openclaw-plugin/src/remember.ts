/** Decides whether a remembered fact may also go into the agent's own memory, and puts it there. */

import { type Fact, mirror, MIRROR_FILE } from "./mirror.js";
import type { Mirror } from "./settings.js";

export interface Workspace {
  workspaceDir?: string | undefined;
  sandboxed?: boolean | undefined;
}

/** A fact as the daemon keeps it, and what its guard says of it and of where it is from. */
export interface Judged extends Fact {
  /** The categories; null when nobody could tell. */
  sensitive: readonly unknown[] | null;
  suspect: boolean;
}

/** What the daemon's answer tells of the fact that it was given to store. */
export function judged(given: Record<string, unknown>, data: Record<string, unknown>): Judged {
  return {
    key: String(data["key"]),
    value: String(data["value"] ?? given["value"]),
    source: String(given["source"]),
    sensitive: Array.isArray(data["sensitive"]) ? data["sensitive"] : null,
    suspect: data["injection_suspected"] === true,
  };
}

/** What to add to the answer: where the fact went as well, or why it did not. Never rejects. */
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
