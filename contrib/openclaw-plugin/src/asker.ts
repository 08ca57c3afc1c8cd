/** Who asks the daemon: an agent, in a kind of chat. The daemon decides by it which collections answer.
 * Pure. The arguments of a tool never change it. */

import { type ChatContext, chatKindOf, type StoredSession } from "./scope.js";

export interface Asker {
  /** The agent's id; empty if OpenClaw does not name it. */
  agent: string;
  /** direct, group or channel; empty if it is not known. */
  chat: string;
}

/** Somebody in a chat, of whom nothing is known. */
export const SOMEBODY: Asker = { agent: "", chat: "" };

export function askerOf(context: ChatContext, stored: StoredSession): Asker {
  const kind = chatKindOf(context, stored);
  return {
    agent: context.agentId ?? agentOfKey(context.sessionKey) ?? "",
    chat: kind === "unknown" ? "" : kind,
  };
}

/** The headers of a request. Without them it would be the user's own. */
export function headersOf({ agent, chat }: Asker): Record<string, string> {
  return { "x-ragd-agent": encoded(agent), "x-ragd-chat": encoded(chat) };
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
