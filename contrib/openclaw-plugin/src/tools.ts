/** The four tools of the contract as a model sees them, and the list of all nine. Pure data.
 *
 * Names and limits are ragd's (ragd/protocol/tool_schemas.py); the daemon checks every call again. */

import { MEMORY_FORGET, MEMORY_SEARCH, MEMORY_WRITE, READ, RELATED } from "./agent_tools.js";
import type { ToolText } from "./tool_text.js";

/** Without a pattern: a host that checks calls would answer with the expression, but ragd explains it. */
const DAY = {
  type: "string",
  maxLength: 40,
  description: "A day, YYYY-MM-DD, or an ISO 8601 timestamp.",
};

const NAMES = {
  type: "array",
  maxItems: 100,
  items: { type: "string", minLength: 1, maxLength: 1000 },
};

export const SEARCH: ToolText = {
  name: "obsidian_rag_search",
  label: "Search the notes",
  description:
    "Search the user's own Obsidian notes (journal, people, projects, lists, health, money) by " +
    "meaning and by words. Use it whenever the answer may be in what the user wrote down: 'What " +
    "did I write about X?', 'How was my Y in Z?', 'How much do I owe Sreenivas?', 'When did I last " +
    "…?'. Put the question in `query` as the user asked it, in their language; use the filters for " +
    "a named folder, time or tag. Answer from the passages and name their source; when there are " +
    "none, say that the notes do not answer it. Not for the web, nor for 'is the index up to date?'.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["query"],
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 100_000,
        description:
          'The question in natural language, as the user asked it. It may have "an exact phrase", ' +
          "-word, tag:travel, folder:Journal, title:doorbell and prop:status=active in it.",
      },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: 50,
        default: 5,
        description: "How many passages at most. 1 returns the best passage uncut.",
      },
      directory_filter: {
        ...NAMES,
        description: 'Only notes below these folders of the vault, e.g. ["Journal"].',
      },
      collections: {
        ...NAMES,
        description:
          'Only these collections, e.g. ["papers"]; "vault" is the vault itself. Without it: all that ' +
          "are not private.",
      },
      date_range: {
        type: "object",
        additionalProperties: false,
        properties: { from: DAY, to: DAY },
        description: "Only notes dated within these days, inclusive; either end may be left out.",
      },
      by_file_time: {
        type: "boolean",
        description: "Use the file's time as the date of notes that have none, also for date_range.",
      },
      tags: { ...NAMES, description: 'Only passages with one of these tags, e.g. ["#health"].' },
      properties: {
        ...NAMES,
        description:
          "Only notes with these frontmatter properties: a name, or a comparison such as " +
          '"status=active", "rating>=4" or "due<2025-02-01". All of them must hold.',
      },
      explain: {
        type: "boolean",
        description: "Add to each result the numbers that decided its rank.",
      },
      min_score: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description: "Only passages with at least this score.",
      },
      max_chars: {
        type: "integer",
        minimum: 200,
        description: "The largest number of characters of all passages together.",
      },
      confirm: {
        type: "string",
        description:
          "Only after an answer withheld sensitive passages: what that answer says to put here. The " +
          "user is asked before they are shown.",
      },
    },
  },
};

export const INDEX: ToolText = {
  name: "obsidian_rag_index",
  label: "Index the notes",
  description:
    "Bring the search index of the user's Obsidian notes up to date. Use it for 'Index my vault' or " +
    "'Update the search index', or after another answer said that there is no index: mode 'sync' by " +
    "default, 'full' when there is no index yet, 'reindex' only when asked to rebuild it. Returns at " +
    "once with a job id; ask obsidian_rag_status for progress. Saved notes are indexed automatically.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["mode"],
    properties: {
      mode: {
        type: "string",
        enum: ["sync", "full", "reindex"],
        description:
          "sync: only what changed. full: read every note again; also the first time. reindex: build " +
          "a new index next to the old one, then switch.",
      },
    },
  },
};

export const STATUS: ToolText = {
  name: "obsidian_rag_status",
  label: "Status of the notes' index",
  description:
    "Report the state of the search index of the user's Obsidian notes: healthy, degraded or unavailable " +
    "and why, how many notes it holds, when it was last updated, and the progress of a running index " +
    "job. Use it for 'Is the index up to date?', 'How many notes are indexed?', and to follow a " +
    "job. No need to call it before a search: a search checks it automatically.",
  parameters: {
    type: "object",
    additionalProperties: false,
    properties: {
      verbose: {
        type: "boolean",
        default: false,
        description: "Everything: also the actors, the process, the log and all files left out.",
      },
    },
  },
};

export const MEMORY_STORE: ToolText = {
  name: "obsidian_rag_memory_store",
  label: "Remember a fact from the notes",
  description:
    "Remember one fact from the user's Obsidian notes under a short key, so that later searches " +
    "return it at once. Use it for 'Remember this' about something found in the notes, or after a search " +
    "offered a memory_suggestion; in both cases only once the user has agreed.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["key", "value", "source"],
    properties: {
      key: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description: "A short name for the fact, e.g. debt_to_sreenivas. The same key replaces.",
      },
      value: {
        type: "string",
        minLength: 1,
        maxLength: 10_000,
        description: "The fact, in a sentence.",
      },
      source: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description:
          "The note it comes from: source_file of the passage, e.g. Journal/2024-03-09.md.",
      },
    },
  },
};

export const TOOLS: readonly ToolText[] = [
  ...[SEARCH, INDEX, STATUS, MEMORY_STORE],
  ...[READ, RELATED, MEMORY_SEARCH, MEMORY_WRITE, MEMORY_FORGET],
];

/** The arguments for the daemon: null values are left out, the others unchanged. */
export function cleaned(params: unknown): Record<string, unknown> {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return {};
  const kept = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === "date_range" ? cleaned(value) : value]),
  );
}
