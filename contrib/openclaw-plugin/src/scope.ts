/** What kind of chat a tool is called in, from what OpenClaw tells of it. Pure.
 *
 * OpenClaw's tool context has no field for this. What there is: the session's key, the place the
 * answer goes to, and the stored session (which may have been spawned by another). If any of them
 * says that others listen, others listen. Where none says anything, it is the operator's own
 * surface (terminal, dashboard, schedule). */

import { isObject } from "./envelope.js";

export type Chat = "direct" | "shared" | "unknown";

export interface ChatContext {
  sessionKey?: string | undefined;
  agentId?: string | undefined;
  deliveryContext?: { channel?: string | undefined; to?: string | undefined } | undefined;
}

/** A session as OpenClaw stores it; what is not as expected is as if it were not there. */
export type StoredSession = (sessionKey: string, agentId: string | undefined) => unknown;

const SPAWNED_DEPTH = 5;

export function chatOf(context: ChatContext, stored: StoredSession): Chat {
  const { channel, to } = context.deliveryContext ?? {};
  const told = [ofTarget(channel, to), ...ofSession(context.sessionKey, context.agentId, stored)];
  if (told.includes("shared")) return "shared";
  return told.includes("direct") ? "direct" : "unknown";
}

/** What the key says, what is stored under it, and the same for who spawned it. */
function ofSession(
  key: string | undefined,
  agentId: string | undefined,
  stored: StoredSession,
  depth = SPAWNED_DEPTH,
): Chat[] {
  if (!key) return [];
  const told = [ofKey(key)];
  const session = depth > 0 ? stored(key, agentId) : undefined;
  if (!isObject(session)) return told;
  const delivery = isObject(session["delivery"]) ? session["delivery"] : {};
  const origin = isObject(delivery["origin"]) ? delivery["origin"] : {};
  const route = isObject(delivery["route"]) ? delivery["route"] : {};
  const target = isObject(route["target"]) ? route["target"] : {};
  told.push(
    ofChatType(session["chatType"]),
    ofChatType(origin["chatType"]),
    ofChatType(target["chatType"]),
    ofTarget(text(route["channel"]), text(target["to"])),
  );
  const parent = text(session["spawnedBy"]);
  if (parent && parent !== key) told.push(...ofSession(parent, undefined, stored, depth - 1));
  return told;
}

/** `agent:ID:CHANNEL:group:PEER` and its like. A direct chat with a peer called group is shared. */
function ofKey(key: string): Chat {
  const parts = key.toLowerCase().split(":");
  const rest = parts[0] === "agent" ? parts.slice(2) : parts;
  if (rest.includes("group") || rest.includes("channel")) return "shared";
  if (rest.some((part) => /@g\.us$|^guild-/.test(part))) return "shared";
  return rest.includes("direct") || rest.includes("dm") ? "direct" : "unknown";
}

function ofChatType(type: unknown): Chat {
  if (type === "direct") return "direct";
  return typeof type === "string" && type !== "" ? "shared" : "unknown";
}

function ofTarget(channel: string | undefined, to: string | undefined): Chat {
  const target = (to ?? "").toLowerCase();
  if (/(^|:)(group|channel|room|space):|@g\.us$/.test(target)) return "shared";
  if (/^(telegram:)?-\d+/.test(target) && channel?.toLowerCase() === "telegram") return "shared";
  return /(^|:)(user|dm|direct):/.test(target) ? "direct" : "unknown";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
