/** What kind of chat a tool is called in. Pure.
 *
 * OpenClaw's tool context has no field for this. It is inferred from the session's key, the place the
 * answer goes to, and the stored session (which may have been spawned by another). If any of them
 * shows that others can read the chat, it is shared. If none shows anything, it is the operator's own
 * surface (terminal, dashboard, schedule). */

import { isObject } from "./envelope.js";

export type Chat = "direct" | "shared" | "unknown";

/** As the access rules of ragd name it. */
export type ChatKind = "direct" | "group" | "channel" | "unknown";

export interface ChatContext {
  sessionKey?: string | undefined;
  agentId?: string | undefined;
  deliveryContext?: { channel?: string | undefined; to?: string | undefined } | undefined;
}

/** A session as OpenClaw stores it; unexpected values are ignored. */
export type StoredSession = (sessionKey: string, agentId: string | undefined) => unknown;

const SPAWNED_DEPTH = 5;

export function chatOf(context: ChatContext, stored: StoredSession): Chat {
  const kind = chatKindOf(context, stored);
  return kind === "group" || kind === "channel" ? "shared" : kind;
}

/** The kind of chat; a group or a channel, if anything shows that others can read it. */
export function chatKindOf(context: ChatContext, stored: StoredSession): ChatKind {
  const { channel, to } = context.deliveryContext ?? {};
  const found = [chatOfTarget(channel, to), ...chatsOfSession(context.sessionKey, context.agentId, stored)];
  const shared = found.find((kind) => kind === "group" || kind === "channel");
  return shared ?? (found.includes("direct") ? "direct" : "unknown");
}

/** From the key, from the session stored under it, and the same for its parent. */
function chatsOfSession(
  key: string | undefined,
  agentId: string | undefined,
  stored: StoredSession,
  depth = SPAWNED_DEPTH,
): ChatKind[] {
  if (!key) return [];
  const found = [chatOfKey(key)];
  const session = depth > 0 ? stored(key, agentId) : undefined;
  if (!isObject(session)) return found;
  const delivery = isObject(session["delivery"]) ? session["delivery"] : {};
  const origin = isObject(delivery["origin"]) ? delivery["origin"] : {};
  const route = isObject(delivery["route"]) ? delivery["route"] : {};
  const target = isObject(route["target"]) ? route["target"] : {};
  found.push(
    chatOfType(session["chatType"]),
    chatOfType(origin["chatType"]),
    chatOfType(target["chatType"]),
    chatOfTarget(text(route["channel"]), text(target["to"])),
  );
  const parent = text(session["spawnedBy"]);
  if (parent && parent !== key) found.push(...chatsOfSession(parent, undefined, stored, depth - 1));
  return found;
}

/** `agent:ID:CHANNEL:group:PEER` and similar. A direct chat with a peer called group counts as shared. */
function chatOfKey(key: string): ChatKind {
  const parts = key.toLowerCase().split(":");
  const rest = parts[0] === "agent" ? parts.slice(2) : parts;
  if (rest.includes("group") || rest.some((part) => part.endsWith("@g.us"))) return "group";
  if (rest.includes("channel") || rest.some((part) => part.startsWith("guild-"))) return "channel";
  return rest.includes("direct") || rest.includes("dm") ? "direct" : "unknown";
}

/** An unknown type counts as a group: others may read it. */
function chatOfType(type: unknown): ChatKind {
  if (type === "direct" || type === "channel") return type;
  return typeof type === "string" && type !== "" ? "group" : "unknown";
}

function chatOfTarget(channel: string | undefined, to: string | undefined): ChatKind {
  const target = (to ?? "").toLowerCase();
  if (/(^|:)channel:/.test(target)) return "channel";
  if (/(^|:)(group|room|space):|@g\.us$/.test(target)) return "group";
  if (/^(telegram:)?-\d+/.test(target) && channel?.toLowerCase() === "telegram") return "group";
  return /(^|:)(user|dm|direct):/.test(target) ? "direct" : "unknown";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
