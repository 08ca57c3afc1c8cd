/** The five tools that read on, remember and forget, as a model sees them. Pure data.
 *
 * Names and limits are ragd's (ragd/protocol/agent_requests.py); the daemon checks every call again. */

import type { ToolText } from "./tool_text.js";

const NOTE_PATH = {
  type: "string",
  minLength: 1,
  maxLength: 1000,
  description: "The `source_file` or the `citation` of a search result.",
};

const MOST_CHARS = {
  type: "integer",
  minimum: 200,
  maximum: 200_000,
  description: "The largest number of characters to return. The plugin's own limit applies, too.",
};

const CONFIRM = {
  type: "string",
  maxLength: 200,
  description:
    "Only after an answer withheld sensitive text: what that answer says to put here. The user is " +
    "asked before it is shown.",
};

export const READ: ToolText = {
  name: "obsidian_rag_read",
  label: "Read on in a note",
  description:
    "Read on in a note that a search found: some of its lines, a page of a document, or all of a " +
    "short note. Use it when a passage is cut or when its surroundings matter ('What else does it " +
    "say?'). Also reads a note of your own memory and a past conversation. `lines_after` says how " +
    "many lines follow.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["path"],
    properties: {
      path: NOTE_PATH,
      from: { type: "integer", minimum: 1, description: "The first line to read; 1 by default." },
      lines: {
        type: "integer",
        minimum: 1,
        maximum: 2000,
        description: "How many lines. Without it: as many as fit.",
      },
      max_chars: MOST_CHARS,
      confirm: CONFIRM,
    },
  },
};

export const RELATED: ToolText = {
  name: "obsidian_rag_related",
  label: "Related notes",
  description:
    "Find the notes that are near a note by meaning or by links, each with the reason. Use it for " +
    "'What else do I have on this?' after a search.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["path"],
    properties: {
      path: NOTE_PATH,
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: 50,
        default: 10,
        description: "How many notes at most.",
      },
    },
  },
};

export const MEMORY_SEARCH: ToolText = {
  name: "obsidian_rag_memory_search",
  label: "Search what was remembered",
  description:
    "Look through what was remembered: stored facts (`memories`), and the notes that you wrote for " +
    "yourself (`notes`). Use it for 'What do you remember about X?', and before you ask the user " +
    "something again. Without a query: the newest ones.",
  parameters: {
    type: "object",
    additionalProperties: false,
    properties: {
      query: {
        type: "string",
        maxLength: 100_000,
        description: "A question or a few words. Without it: the newest memories.",
      },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: 50,
        default: 10,
        description: "How many of each kind at most.",
      },
      min_score: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description: "Only notes with at least this score.",
      },
      max_chars: MOST_CHARS,
      confirm: CONFIRM,
    },
  },
};

export const MEMORY_WRITE: ToolText = {
  name: "obsidian_rag_memory_write",
  label: "Write into the assistant's memory",
  description:
    "Write a note into your own memory, as Markdown: a new one, in place of one, or at its end " +
    "(append). Use it for what should outlast this conversation. It never changes the user's notes. " +
    "The user may be asked first.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["path", "text"],
    properties: {
      path: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description: "Where in your own memory, e.g. memory/2026-11-16.md or MEMORY.md.",
      },
      text: {
        type: "string",
        minLength: 1,
        maxLength: 200_000,
        description: "The text, as Markdown.",
      },
      append: {
        type: "boolean",
        description: "Add the text at the end. Otherwise it replaces the note.",
      },
    },
  },
};

export const MEMORY_FORGET: ToolText = {
  name: "obsidian_rag_memory_forget",
  label: "Forget",
  description:
    "Erase a stored fact by its key, or a note of your own memory by its path, for good. Use it for " +
    "'Forget that'. Exactly one of the two. The user may be asked first.",
  parameters: {
    type: "object",
    additionalProperties: false,
    properties: {
      key: { type: "string", maxLength: 1000, description: "The key of a stored fact." },
      path: { type: "string", maxLength: 1000, description: "A note in your own memory." },
    },
  },
};
