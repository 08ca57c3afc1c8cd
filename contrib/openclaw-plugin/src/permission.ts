/** Asks the user in OpenClaw before the assistant writes into its memory or erases from it. Pure.
 *
 * OpenClaw runs the call only after `allow-once`; where it cannot ask, it blocks the call. */

import { MEMORY_FORGET, MEMORY_WRITE } from "./agent_tools.js";
import { defused, oneLine } from "./fence.js";
import type { BeforeToolCall, BeforeToolCallResult } from "./host.js";
import type { AskBeforeMemory } from "./settings.js";

const SHOWN_CHARS = 230; // OpenClaw cuts a description at 512
const TIMEOUT_MS = 5 * 60_000;

/** The tools that change the memory, by the names that a plugin gives them. */
export interface MemoryToolNames {
  write: string;
  forget: string;
}

export const MEMORY_TOOLS: MemoryToolNames = { write: MEMORY_WRITE.name, forget: MEMORY_FORGET.name };

/** The question before a call; undefined if none is needed. */
export function permissionFor(
  { toolName, params }: BeforeToolCall,
  ask: AskBeforeMemory,
  names: MemoryToolNames = MEMORY_TOOLS,
): BeforeToolCallResult | undefined {
  const forgets = toolName === names.forget;
  if (!forgets && toolName !== names.write) return undefined;
  if (ask === "never" || (ask === "forget" && !forgets)) return undefined;
  const where = shown(params["path"] ?? params["key"]);
  const how = params["append"] === true ? "Adds to" : "Writes";
  return {
    requireApproval: {
      title: forgets ? "Erase from the assistant's memory" : "Write into the assistant's memory",
      description: forgets ? `Erases for good: “${where}”` : `${how} “${where}”: ${shown(params["text"])}`,
      severity: "warning",
      allowedDecisions: ["allow-once", "deny"],
      timeoutMs: TIMEOUT_MS,
    },
  };
}

/** On one line, nothing invisible, short. */
function shown(value: unknown): string {
  const text = oneLine(defused(String(value ?? "")).replaceAll(/\p{Cf}/gu, ""));
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)} …` : text;
}
