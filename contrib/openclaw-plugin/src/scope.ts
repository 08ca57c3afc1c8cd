/** What kind of chat a tool is called in. Pure.
 *
 * OpenClaw's tool context has no field for this. It is inferred from the session's key, the place the
 * answer goes to, and the stored session (which may have been spawned by another). If any of them
 * shows that others can read the chat, it is shared. If none shows anything, it is the operator's own
 * surface (terminal, dashboard, schedule). */

import { isObject } from "./envelope.js";

export type Chat = "direct" | "shared" | "unknown";

export interface ChatContext {
  sessionKey?: string | undefined;
  agentId?: string | undefined;
  deliveryContext?: { channel?: string | undefined; to?: string | undefined } | undefined;
}

/** A session as OpenClaw stores it; unexpected values are ignored. */
export type StoredSession = (sessionKey: string, agentId: string | undefined) => unknown;

const SPAWNED_DEPTH = 5;

export function chatOf(context: ChatContext, stored: StoredSession): Chat {
  const { channel, to } = context.deliveryContext ?? {};
  const found = [chatOfTarget(channel, to), ...chatsOfSession(context.sessionKey, context.agentId, stored)];
  if (found.includes("shared")) return "shared";
  return found.includes("direct") ? "direct" : "unknown";
}

/** From the key, from the session stored under it, and the same for its parent. */
function chatsOfSession(
  key: string | undefined,
  agentId: string | undefined,
  stored: StoredSession,
  depth = SPAWNED_DEPTH,
): Chat[] {
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
function chatOfKey(key: string): Chat {
  const parts = key.toLowerCase().split(":");
  const rest = parts[0] === "agent" ? parts.slice(2) : parts;
  if (rest.includes("group") || rest.includes("channel")) return "shared";
  if (rest.some((part) => /@g\.us$|^guild-/.test(part))) return "shared";
  return rest.includes("direct") || rest.includes("dm") ? "direct" : "unknown";
}

function chatOfType(type: unknown): Chat {
  if (type === "direct") return "direct";
  return typeof type === "string" && type !== "" ? "shared" : "unknown";
}

function chatOfTarget(channel: string | undefined, to: string | undefined): Chat {
  const target = (to ?? "").toLowerCase();
  if (/(^|:)(group|channel|room|space):|@g\.us$/.test(target)) return "shared";
  if (/^(telegram:)?-\d+/.test(target) && channel?.toLowerCase() === "telegram") return "shared";
  return /(^|:)(user|dm|direct):/.test(target) ? "direct" : "unknown";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
