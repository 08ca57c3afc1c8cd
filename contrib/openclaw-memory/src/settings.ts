/** The configuration of the memory plugin: its schema, its defaults, and the values in force. Pure. */

import { CONFIG_SCHEMA, DEFAULTS, type Settings } from "../../openclaw-plugin/src/settings.js";

export interface MemorySettings extends Settings {
  /** Whether memory_search finds notes of the vault, too. */
  vault: boolean;
  /** Whether what is saved before a compaction goes to ragd. */
  flush: boolean;
  /** Whether /new and /reset leave a short summary. */
  summary: boolean;
}

const { socketPath, timeoutMs, maxChars, snippetChars, citations, askBeforeMemory } =
  CONFIG_SCHEMA.properties;

export const MEMORY_CONFIG_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...{ socketPath, timeoutMs, maxChars, snippetChars, citations, askBeforeMemory },
    vault: {
      type: "boolean",
      description: "Whether memory_search finds the notes of your vault, too.",
      default: true,
    },
    flush: {
      type: "boolean",
      description: "Whether ragd keeps what the assistant saves before OpenClaw compacts a conversation.",
      default: true,
    },
    summary: {
      type: "boolean",
      description: "Whether /new and /reset leave a short summary in the assistant's memory.",
      default: true,
    },
    dreaming: {
      type: "object",
      additionalProperties: false,
      properties: { enabled: { type: "boolean" } },
      description: "OpenClaw reads this: with enabled false it does not load its own memory beside this one.",
    },
  },
} as const;

/** Memory is for direct chats only: there is no setting for that. */
export function memorySettingsOf(config: unknown): MemorySettings {
  const given = Object.entries((config ?? {}) as Partial<MemorySettings>);
  const own = { vault: true, flush: true, summary: true };
  const set = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...own, ...set, scope: "direct", mirrorMemory: "off", memoryCorpus: false };
}
