/** Who asks the daemon: an agent, in a kind of chat. The daemon decides by it which collections answer.
 * Pure. The arguments of a tool never change it. */

import { createHash } from "node:crypto";

import { type ChatContext, chatKindOf, type StoredSession } from "./scope.js";

export interface Asker {
  /** The agent's id; empty if OpenClaw does not name it. */
  agent: string;
  /** direct, group or channel; empty if it is not known. */
  chat: string;
  /** Which conversation it is: a hash, because keys of sessions name people. Empty if it is not known. */
  session: string;
}

/** Somebody in a chat, of whom nothing is known. */
export const SOMEBODY: Asker = { agent: "", chat: "", session: "" };

export function askerOf(context: ChatContext, stored: StoredSession): Asker {
  const kind = chatKindOf(context, stored);
  return {
    agent: context.agentId ?? agentOfKey(context.sessionKey) ?? "",
    chat: kind === "unknown" ? "" : kind,
    session: context.sessionKey ? createHash("sha256").update(context.sessionKey).digest("hex") : "",
  };
}

/** The headers of a request. Without them it would be the user's own. */
export function headersOf({ agent, chat, session }: Asker): Record<string, string> {
  return {
    "x-ragd-agent": encoded(agent),
    "x-ragd-chat": encoded(chat),
    ...(session ? { "x-ragd-session": session } : {}),
  };
}

/** `agent:ID:…` */
function agentOfKey(key: string | undefined): string | undefined {
  const [first, id] = (key ?? "").split(":");
  return first?.toLowerCase() === "agent" ? id : undefined;
}

function encoded(name: string): string {
  try {
    return encodeURIComponent(name);
  } catch {
    return ""; // half a character: an agent without a name
  }
}
