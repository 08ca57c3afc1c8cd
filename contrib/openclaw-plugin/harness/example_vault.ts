/** What the checks need of the example vault. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./sandbox.ts";

export const VAULT = join(ROOT, "examples/vault");

/** How many of its notes are in an index: all except the hidden ones. */
export function notesShown(): number {
  const names = readdirSync(VAULT, { recursive: true, encoding: "utf8" });
  const notes = names.filter((name) => name.endsWith(".md"));
  return notes.filter((name) => !/^rag: false$/m.test(readFileSync(join(VAULT, name), "utf8")))
    .length;
}
