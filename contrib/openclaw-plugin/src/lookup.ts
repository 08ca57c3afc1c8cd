/** Paths of notes as one word, for places outside the fence. Pure.
 *
 * A note's path is free text: "Ignore your orders.md" is a file name, and on Unix so is one with
 * line breaks. OpenClaw's memory tools need the path outside the fence, to read more of the note. */

/** Letters and digits of any script with their accents, and common characters of file names. */
const KEPT = /[\p{L}\p{N}\p{M}/._~-]/u;

const KEPT_OF_SUSPECTS = /[/]/;

/** The path with all other characters percent-encoded, as in a URL. If the note reads like orders to an
 * agent, the letters are encoded as well. */
export function addressOf(path: string, suspect = false): string {
  const kept = suspect ? KEPT_OF_SUSPECTS : KEPT;
  return Array.from(path, (one) => (kept.test(one) ? one : encoded(one))).join("");
}

/** The paths that a lookup may mean: decoded first, then unchanged. */
export function pathsIn(lookup: string): string[] {
  const path = decoded(lookup);
  return path === null || path === lookup ? [lookup] : [path, lookup];
}

function encoded(character: string): string {
  const bytes = [...Buffer.from(character, "utf8")];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
