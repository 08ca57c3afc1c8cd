/** The tools of the memory slot as a model sees them. Pure data. Names and parameters of the first two are
 * OpenClaw's, whose prompts name them. */

import { MEMORY_FORGET, MEMORY_WRITE } from "../../openclaw-plugin/src/agent_tools.js";
import type { ToolText } from "../../openclaw-plugin/src/tool_text.js";

export const SEARCH_MEMORY: ToolText = {
  name: "memory_search",
  label: "Memory Search",
  description:
    "Mandatory recall step: search your own notes, remembered facts, past conversations and the user's " +
    "notes before answering questions about prior work, decisions, dates, people, preferences or todos. " +
    "corpus memory: only your own notes and facts; sessions: only past conversations; wiki: only the user's " +
    "notes; all, or none: everything. If the answer has a warning, tell the user.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["query"],
    properties: {
      query: { type: "string", minLength: 1, maxLength: 100_000 },
      maxResults: { type: "integer", minimum: 1 },
      minScore: { type: "number" },
      corpus: { type: "string", enum: ["memory", "wiki", "all", "sessions"] },
    },
  },
};

export const GET_MEMORY: ToolText = {
  name: "memory_get",
  label: "Memory Get",
  description:
    "Read lines of what memory_search found, by its path. status ok: the lines; not_found: there is no such " +
    "note; error: it could not be read, which does not mean that there is no memory. The text says how to read on.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["path"],
    properties: {
      path: { type: "string", minLength: 1, maxLength: 3000 },
      from: { type: "integer", minimum: 1 },
      lines: { type: "integer", minimum: 1 },
      corpus: { type: "string", enum: ["memory", "wiki", "all"] },
    },
  },
};

export const WRITE_MEMORY: ToolText = { ...MEMORY_WRITE, name: "memory_write" };
export const FORGET_MEMORY: ToolText = { ...MEMORY_FORGET, name: "memory_forget" };

export const MEMORY_SLOT_TOOLS: readonly ToolText[] = [
  SEARCH_MEMORY,
  GET_MEMORY,
  WRITE_MEMORY,
  FORGET_MEMORY,
];
