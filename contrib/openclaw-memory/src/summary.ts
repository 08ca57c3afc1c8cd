/** A short summary of a conversation that ends with /new or /reset: how it began, and its last messages. Pure; no
 * model is used. */

import { isObject } from "../../openclaw-plugin/src/envelope.js";
import { defused, oneLine } from "../../openclaw-plugin/src/fence.js";
import { timeOf } from "./day.js";

const LAST = 6;
const MOST_CHARS = 300; // of one message

/** Sessions without a person: nothing of them is kept. */
const WITHOUT_PERSON = /:(cron|subagent|heartbeat|hook|boot|internal-session-effects)(:|$)/;

/** Markdown for the daily note; null if nobody said anything. */
export function summaryOf(messages: unknown, sessionKey: string, nowMs: number, zone?: unknown): string | null {
  if (WITHOUT_PERSON.test(sessionKey)) return null;
  const said = (Array.isArray(messages) ? messages : []).flatMap(line);
  if (!said.some((one) => one.startsWith("- User: "))) return null;
  const first = said.slice(0, 1);
  const left = Math.max(said.length - LAST - 1, 0);
  const gap = left > 0 ? [`- (${left} more messages)`] : [];
  return [`## Conversation until ${timeOf(nowMs, zone)}`, "", ...first, ...gap, ...said.slice(1).slice(-LAST)].join("\n");
}

/** The messages after this time. One without a time counts as new. */
export function messagesSince(messages: unknown, timeMs: number): unknown[] {
  const isNew = (message: unknown) => {
    const time = isObject(message) ? message["timestamp"] : undefined;
    return typeof time !== "number" || time > timeMs;
  };
  return (Array.isArray(messages) ? messages : []).filter(isNew);
}

function line(message: unknown): string[] {
  const one = isObject(message) && isObject(message["message"]) ? message["message"] : message;
  if (!isObject(one) || (one["role"] !== "user" && one["role"] !== "assistant")) return [];
  const text = oneLine(defused(textOf(one["content"])));
  if (text === "" || text.startsWith("/") || text === "NO_REPLY" || text.includes("OPENCLAW_INTERNAL")) return [];
  const short = text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)} …` : text;
  return [`- ${one["role"] === "user" ? "User" : "Assistant"}: ${short}`];
}

/** Only text: tool calls and their results are left out. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.filter(isObject).filter(({ type }) => type === "text" || type === undefined);
  return texts.map(({ text }) => (typeof text === "string" ? text : "")).join(" ");
}
