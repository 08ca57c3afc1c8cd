/** Freshness and health as a few words for the status bar. */

import type { RagdStatus } from "./answers.js";

export interface StatusText {
  /** In the status bar. */
  short: string;
  /** In its tooltip. */
  long: string;
  health: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function statusText(status: RagdStatus, now: Date): StatusText {
  const notes = `${status.notes} ${status.notes === 1 ? "note" : "notes"}`;
  const synced = status.lastSync ? `, synced ${ago(status.lastSync, now)}` : "";
  const long = [`${notes} in the index${synced}.`, ...status.reasons].join("\n");
  return { short: `Ragd: ${shortText(status)}`, long, health: status.health };
}

function shortText(status: RagdStatus): string {
  if (status.health === "unavailable") return "unavailable";
  if (status.job) return `indexing ${Math.floor(status.job.progress * 100)} %`;
  if (status.waiting > 0) return `${status.waiting} waiting`;
  if (status.isPaused) return "paused";
  return status.health === "healthy" ? "up to date" : "needs attention";
}

function ago(moment: string, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - new Date(moment).getTime()) / 1000);
  if (seconds < MINUTE) return "just now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  return `${Math.floor(seconds / DAY)} d ago`;
}
