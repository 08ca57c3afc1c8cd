/** The daemon's status, for a model, for a person, and for the log. Pure. */

import { type Envelope, isObject } from "./envelope.js";

const ERRORS_SHOWN = 5;

type Row = Record<string, unknown>;

/** The fields of the status that an assistant needs; names of notes only in chats that are not shared. */
export function forModel(answer: Envelope, shared: boolean): Envelope {
  if (answer.data === null) return answer;
  const { data } = answer;
  return {
    ...answer,
    data: {
      ...pick(data, "plugin_health", "total_docs", "total_chunks", "chunks_embedded", "last_sync"),
      ...pick(data, "unindexed_files", "ollama_status", "active_job"),
      last_job: lastJob(data["last_job"], shared),
      reasons: data["reasons"] ?? [],
      skipped_files: totalOf(data["skipped"]),
      failed_files: totalOf(data["failed"]),
      ...pick(data, "version"),
    },
  };
}

/** Whether the status for a model quotes names of notes. */
export function quotesNotes(answer: Envelope): boolean {
  const job = answer.data?.["last_job"];
  return isObject(job) && Array.isArray(job["errors"]) && job["errors"].length > 0;
}

/** The answer to /ragstatus. */
export function forPerson(answer: Envelope): string {
  const lines = [oneLine(answer)];
  const { data } = answer;
  if (data === null) return withSuggestion(lines, answer);
  lines.push(
    `Last sync: ${data["last_sync"] ?? "never"}; waiting: ${data["unindexed_files"]}`,
  );
  if (isObject(data["active_job"])) lines.push(`Running: ${progressOf(data["active_job"])}`);
  lines.push(...vectorsOf(data), `Ollama: ${data["ollama_status"]}`);
  return withSuggestion(lines, answer);
}

/** The line in OpenClaw's log when the plugin starts. */
export function oneLine(answer: Envelope): string {
  const { data, error } = answer;
  const why = error ? `: ${error.message}` : "";
  if (data === null) return `obsidian-rag is ${answer.status}${why}`;
  const counts = `${data["total_docs"]} notes, ${data["total_chunks"]} passages`;
  return `obsidian-rag is ${answer.status}${why} (${counts}, ragd ${data["version"]})`;
}

function withSuggestion(lines: string[], { error }: Envelope): string {
  return [...lines, ...(error?.suggestion ? [`Next: ${error.suggestion}`] : [])].join("\n");
}

function lastJob(job: unknown, shared: boolean): Row | null {
  if (!isObject(job)) return null;
  const errors =
    Array.isArray(job["errors"]) && !shared ? job["errors"].slice(0, ERRORS_SHOWN) : [];
  return { ...job, errors };
}

/** The running job. Its `progress` is a number from 0 to 1, of its phase; `current` of `total` counts
 * notes, and passages while vectors are made. */
function progressOf({ mode, phase, progress, current, total }: Row): string {
  if (phase === "requested") return `${mode}, not started yet`;
  const what = phase === "vectors" ? "passages" : "notes";
  const counted = typeof current === "number" && typeof total === "number" && total > 0;
  const done = counted ? `${current} of ${total} ${what}` : what;
  const part = typeof progress === "number" ? ` (${percent(progress)})` : "";
  return `${mode}, ${phase === "vectors" ? "text is stored, vectors for " : ""}${done}${part}`;
}

/** The progress of the vectors, of the index that serves and of the one being built; empty if the running
 * job shows it. */
function vectorsOf({ active_job: job, ...data }: Row): string[] {
  if (isObject(job) && job["phase"] === "vectors") return [];
  const { chunks_pending: pending, chunks_embedded: embedded, building } = data;
  const lines: string[] = [];
  if (typeof pending === "number" && pending > 0 && typeof embedded === "number") {
    lines.push(`Vectors: ${share(embedded, embedded + pending)}`);
  }
  if (isObject(building)) {
    const [done, total] = [Number(building["chunks_embedded"]), Number(building["total_chunks"])];
    lines.push(`New index: vectors for ${share(done, total)}`);
  }
  return lines;
}

function share(done: number, total: number): string {
  const part = total > 0 ? ` (${percent(done / total)})` : "";
  return `${done} of ${total} passages${part}`;
}

/** Rounded down: 100 % only when everything is done. */
function percent(part: number): string {
  return `${Math.floor(Math.min(Math.max(part, 0), 1) * 100)} %`;
}

function totalOf(list: unknown): number {
  return isObject(list) && typeof list["total"] === "number" ? list["total"] : 0;
}

function pick(data: Row, ...names: string[]): Row {
  return Object.fromEntries(names.map((name) => [name, data[name] ?? null]));
}
