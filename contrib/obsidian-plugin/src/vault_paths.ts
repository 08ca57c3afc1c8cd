/** How ragd names the notes of the open vault: as its own vault, or as one of its collections. */

import { realpathSync } from "node:fs";
import { sep } from "node:path";
import type { RagdStatus } from "./answers.js";

/** The beginning of each path: empty in ragd's vault, `@name/` in a collection; null if ragd does not read
 * the open vault. */
export function pathPrefix(opened: string, status: RagdStatus): string | null {
  const root = real(opened);
  if (root === real(status.vault)) return "";
  for (const [name, folder] of status.collections) if (root === real(folder)) return `@${name}/`;
  return null;
}

/** The path in the open vault; null for a note elsewhere. */
export function pathInVault(path: string, prefix: string): string | null {
  if (prefix !== "") return path.startsWith(prefix) ? path.slice(prefix.length) : null;
  return path;
}

function real(folder: string): string {
  const bare = folder.length > 1 && folder.endsWith(sep) ? folder.slice(0, -1) : folder;
  try {
    return realpathSync(bare);
  } catch {
    return bare;
  }
}
