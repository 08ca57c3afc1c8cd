/** The parts of ragd's answers that the plugin shows. Anything of another shape is left out. */

import { isObject } from "../../openclaw-plugin/src/envelope.js";

/** A note that is near the open one. */
export interface RelatedNote {
  path: string;
  title: string;
  why: string[];
}

/** A passage that a search found. Its text is text of a note: data, never markup. */
export interface Passage {
  path: string;
  title: string;
  heading: string;
  text: string;
  date: string | null;
  line: number;
  isSensitive: boolean;
}

/** How ragd is doing, and which folders it reads. */
export interface RagdStatus {
  health: string;
  reasons: string[];
  waiting: number;
  notes: number;
  lastSync: string | null;
  job: { mode: string; progress: number } | null;
  isPaused: boolean;
  vault: string;
  collections: Map<string, string>;
}

type Data = Record<string, unknown>;

export function relatedNotes(data: Data): RelatedNote[] {
  return objects(data["related"]).map((one) => ({
    path: text(one["path"]),
    title: text(one["title"]) || text(one["path"]),
    why: texts(one["why"]),
  }));
}

export function passages(data: Data): Passage[] {
  return objects(data["results"]).map((one) => ({
    path: text(one["source_file"]),
    title: text(one["title"]) || text(one["source_file"]),
    heading: text(one["heading_path"]),
    text: text(one["chunk_text"]),
    date: text(one["date"]) || null,
    line: number(one["start_line"]) || 1,
    isSensitive: texts(one["sensitive"]).length > 0,
  }));
}

export function statusOf(data: Data): RagdStatus {
  const job = isObject(data["active_job"]) ? data["active_job"] : null;
  const vault = isObject(data["vault"]) ? text(data["vault"]["path"]) : "";
  const others = objects(data["collections"]).filter((one) => text(one["name"]) !== "vault");
  return {
    health: text(data["plugin_health"]),
    reasons: objects(data["reasons"]).map((one) => text(one["message"])),
    waiting: number(data["unindexed_files"]),
    notes: number(data["total_docs"]),
    lastSync: text(data["last_sync"]) || null,
    job: job && { mode: text(job["mode"]), progress: number(job["progress"]) },
    isPaused: isObject(data["paused"]),
    vault,
    collections: new Map(others.map((one) => [text(one["name"]), text(one["path"])])),
  };
}

export function deniedFolders(data: Data): string[] {
  return texts(data["deny_dirs"]);
}

function objects(value: unknown): Data[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
