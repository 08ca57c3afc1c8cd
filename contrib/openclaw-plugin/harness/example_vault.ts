/** The example vault, as far as the checks have to know it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./sandbox.ts";

export const VAULT = join(ROOT, "examples/vault");

/** How many of its notes are in an index: all but those that hide themselves. */
export function notesShown(): number {
  const names = readdirSync(VAULT, { recursive: true, encoding: "utf8" });
  const notes = names.filter((name) => name.endsWith(".md"));
  return notes.filter((name) => !/^rag: false$/m.test(readFileSync(join(VAULT, name), "utf8")))
    .length;
}
