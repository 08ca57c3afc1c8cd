/** Handles the calls of the tools that read on, remember and forget. In a chat that others read they answer
 * nothing, whatever the daemon would say. */

import { memoryResult, readResult } from "./agent_answer.js";
import { MEMORY_FORGET, MEMORY_SEARCH, MEMORY_WRITE, READ, RELATED } from "./agent_tools.js";
import { plainResult, type ToolResult } from "./answer.js";
import type { Surroundings } from "./calls.js";
import type { Envelope } from "./envelope.js";
import { cites, isOutOfScope, NOT_HERE } from "./privacy.js";
import { type Chat, chatOf } from "./scope.js";
import { cleaned } from "./tools.js";

type Render = (answer: Envelope, around: Surroundings, chat: Chat) => ToolResult;

/** Asks the daemon, unless others read the chat, and renders the answer. */
function calling(tool: string, render: Render) {
  return async (around: Surroundings, params: unknown, signal: AbortSignal | undefined) => {
    const { client, health, settings } = around;
    const chat = chatOf(around.context, around.stored);
    if (isOutOfScope(settings, chat)) return plainResult(tool, NOT_HERE);
    const answer = await client.call(tool, limited(tool, cleaned(params), settings.maxChars), signal);
    health.record(answer);
    return render(answer, around, chat);
  };
}

/** No call returns more than the plugin's own limit. */
function limited(tool: string, args: Record<string, unknown>, most: number): Record<string, unknown> {
  if (tool !== READ.name && tool !== MEMORY_SEARCH.name) return args;
  const { max_chars: wanted = most } = args;
  return { ...args, max_chars: typeof wanted === "number" ? Math.min(wanted, most) : wanted };
}

const plain =
  (tool: string, quotes: boolean): Render =>
  (answer) =>
    plainResult(tool, answer, quotes && answer.data !== null);

export const AGENT_CALLS = {
  [READ.name]: calling(READ.name, (answer, { settings }, chat) =>
    readResult(answer, cites(settings, chat), chat !== "shared"),
  ),
  [RELATED.name]: calling(RELATED.name, plain(RELATED.name, true)),
  [MEMORY_SEARCH.name]: calling(MEMORY_SEARCH.name, (answer, { settings }, chat) =>
    memoryResult(answer, settings, cites(settings, chat), chat !== "shared"),
  ),
  [MEMORY_WRITE.name]: calling(MEMORY_WRITE.name, plain(MEMORY_WRITE.name, false)),
  [MEMORY_FORGET.name]: calling(MEMORY_FORGET.name, plain(MEMORY_FORGET.name, true)),
};
