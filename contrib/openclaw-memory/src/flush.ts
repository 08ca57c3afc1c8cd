/** What the assistant saves before OpenClaw compacts a conversation goes to ragd.
 *
 * In that turn a model has only OpenClaw's `write`, which appends to one file of the workspace. The text of this
 * call goes to ragd, and the file stays empty. If ragd refuses it, OpenClaw writes the file as it would without
 * this plugin: nothing is lost. */

import { isObject } from "../../openclaw-plugin/src/envelope.js";
import { chatKindOf, type StoredSession } from "../../openclaw-plugin/src/scope.js";
import { dayOf } from "./day.js";
import type { FlushPlan, ToolHookContext } from "./host.js";

const SOFT_TOKENS = 4_000;
const FORCE_BYTES = 2 * 1024 * 1024;
const RESERVE_TOKENS = 20_000;

/** The sessions in which OpenClaw runs such turns. */
const INTERNAL = /^agent:[^:]+:internal-session-effects:/;
const DAILY_NOTE = /^(?:\.\/)?(memory\/\d{4}-\d{2}-\d{2}\.md)$/;

/** OpenClaw's own surfaces: the person there is the owner. */
const OWN_SURFACES = ["", "webchat", "internal", "cli", "tui", "gateway-client"];

/** The plan for the turn; null: none, because the owner of the configuration switched it off. */
export function flushPlan(asked: {
  cfg?: unknown;
  nowMs?: number | undefined;
  contextWindowTokens?: number | undefined;
}): FlushPlan | null {
  const set = at(asked.cfg, "agents", "defaults", "compaction", "memoryFlush");
  if (set["enabled"] === false) return null;
  const zone = at(asked.cfg, "agents", "defaults")["userTimezone"];
  const relativePath = `memory/${dayOf(asked.nowMs ?? Date.now(), zone)}.md`;
  const room = asked.contextWindowTokens ?? Infinity;
  const reserveTokensFloor = Math.min(RESERVE_TOKENS, Math.floor(room / 2));
  const soft = numberOf(set["softThresholdTokens"], SOFT_TOKENS);
  const { model } = set;
  return {
    softThresholdTokens: Math.min(soft, Math.floor((room - reserveTokensFloor) / 2)),
    forceFlushTranscriptBytes: numberOf(set["forceFlushTranscriptBytes"], FORCE_BYTES),
    reserveTokensFloor,
    ...(typeof model === "string" && model.trim() ? { model: model.trim() } : {}),
    prompt:
      `Before this conversation is shortened: save what should be kept. Call write with the path ${relativePath} ` +
      "and only the new text, as Markdown; it is added to your memory. Change no other file. If there is " +
      "nothing to keep, reply with NO_REPLY.",
    systemPrompt:
      "This turn only saves memories before the conversation is shortened. What you write to " +
      `${relativePath} is kept in your memory, where memory_search finds it. Usually NO_REPLY is the right reply.`,
    relativePath,
  };
}

/** The note and the text that this call saves; null if it is another call. */
export function savedBy(params: Record<string, unknown>, context: ToolHookContext) {
  const { path, content } = params;
  const daily = typeof path === "string" ? DAILY_NOTE.exec(path) : null;
  if (!INTERNAL.test(context.sessionKey ?? "") || !daily?.[1] || typeof content !== "string") return null;
  return content.trim() === "" ? null : { path: daily[1], text: content };
}

/** The chat that is shortened. OpenClaw names only its channel and its address: what does not look like a direct
 * chat there counts as a group. */
export function chatOfFlush(context: ToolHookContext, stored: StoredSession): string {
  const channel = context.requester?.channel ?? "";
  const to = context.channelId;
  const kind = chatKindOf({ ...context, deliveryContext: { channel, to } }, stored);
  if (kind !== "unknown") return kind;
  return OWN_SURFACES.includes(channel) ? "" : "group";
}

function at(value: unknown, ...names: string[]): Record<string, unknown> {
  for (const name of names) value = isObject(value) ? value[name] : undefined;
  return isObject(value) ? value : {};
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : otherwise;
}
