/** Shortens an answer to its limits, and reports what it left out. Pure. */

import { isObject } from "./envelope.js";

export interface Limits {
  /** Of results, memories and suggestion together, as JSON. */
  maxChars: number;
  /** Of one text, when there are several. */
  snippetChars: number;
}

/** A passage cut shorter than this is not useful. */
const LEAST_CHARS = 120;

const EMPTY_LIST = 2; // characters: []

type Row = Record<string, unknown>;

/** The rows that fit, with their texts cut if necessary, and how many rows did not fit. */
export function fitting(
  rows: readonly Row[],
  textKey: string,
  snippetChars: number,
  room: number,
): { rows: Row[]; leftOut: number; used: number } {
  const kept: Row[] = [];
  let used = EMPTY_LIST;
  for (const row of rows) {
    const short = shortened(row, textKey, snippetChars, room - used);
    if (short === null) break;
    kept.push(short);
    used += sizeOf(short);
  }
  return { rows: kept, leftOut: rows.length - kept.length, used };
}

/** The data of a search within its limits. One result alone is not cut to a snippet. */
export function withinLimits(data: Row, limits: Limits): Row {
  const { results, memories, memory_suggestion: offered, ...rest } = data;
  const found = rowsOf(results);
  const snippet = found.length === 1 ? limits.maxChars : limits.snippetChars;
  const suggestion = isObject(offered) && sizeOf(offered) <= limits.snippetChars ? offered : null;
  const kept = fitting(rowsOf(memories), "value", limits.snippetChars, limits.maxChars / 3);
  const room = limits.maxChars - kept.used - sizeOf(suggestion);
  const shown = fitting(found, "chunk_text", snippet, room);
  const leftOut = shown.leftOut + kept.leftOut;
  return {
    results: shown.rows,
    ...rest,
    memory_suggestion: suggestion,
    memories: kept.rows,
    ...(leftOut > 0 ? { left_out: leftOut } : {}),
  };
}

/** The row with its text cut to fit, or null if too little of it would be left. */
function shortened(row: Row, textKey: string, snippetChars: number, room: number): Row | null {
  const text = String(row[textKey] ?? "");
  let length = snippetChars;
  for (;;) {
    const short = cut(row, textKey, text, length);
    const over = sizeOf(short) - room;
    if (over <= 0) return short;
    const shorter = Math.min(length, text.length) - over;
    if (shorter < LEAST_CHARS) return null;
    length = shorter;
  }
}

function cut(row: Row, textKey: string, text: string, length: number): Row {
  if (text.length <= length) return row;
  const start = beginning(text, length);
  return { ...row, [textKey]: `${start} […]`, cut: `${start.length} of ${text.length} characters` };
}

/** The first characters up to the end of a word, never half a character. */
export function beginning(text: string, length: number): string {
  const start = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
  const space = start.search(/\s\S*$/);
  return (space > length * 0.8 ? start.slice(0, space) : start).trimEnd();
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length + 1; // and a comma
}

function rowsOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
