/** The plugin's configuration: its schema, its defaults, and the values in force. Pure. */

export type Citations = "auto" | "on" | "off";
export type Mirror = "off" | "non-sensitive" | "all";
export type Scope = "direct" | "any";
export type AskBeforeMemory = "always" | "forget" | "never";

export interface Settings {
  socketPath: string;
  timeoutMs: number;
  maxChars: number;
  snippetChars: number;
  citations: Citations;
  mirrorMemory: Mirror;
  memoryCorpus: boolean;
  scope: Scope;
  askBeforeMemory: AskBeforeMemory;
}

export const DEFAULTS: Settings = {
  socketPath: "",
  timeoutMs: 10_000,
  maxChars: 4_000,
  snippetChars: 700,
  citations: "auto",
  mirrorMemory: "non-sensitive",
  memoryCorpus: false,
  scope: "direct",
  askBeforeMemory: "always",
};

/** OpenClaw checks the configuration against this before it loads the plugin. */
export const CONFIG_SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    socketPath: {
      type: "string",
      description: "Socket or named pipe of ragd. Empty: the usual place. ~ is your home folder.",
      default: DEFAULTS.socketPath,
    },
    timeoutMs: {
      type: "integer",
      minimum: 100,
      maximum: 120_000,
      description: "How long an answer may take, in milliseconds.",
      default: DEFAULTS.timeoutMs,
    },
    maxChars: {
      type: "integer",
      minimum: 500,
      maximum: 100_000,
      description:
        "How much of your notes one answer may contain, in characters.",
      default: DEFAULTS.maxChars,
    },
    snippetChars: {
      type: "integer",
      minimum: 100,
      maximum: 10_000,
      description: "How long one passage may be, in characters, when there are several.",
      default: DEFAULTS.snippetChars,
    },
    citations: {
      type: "string",
      enum: ["auto", "on", "off"],
      description: "Whether answers name note and lines; auto: not in chats that others read.",
      default: DEFAULTS.citations,
    },
    mirrorMemory: {
      type: "string",
      enum: ["off", "non-sensitive", "all"],
      description: "Which remembered facts are also written to the agent's own memory.",
      default: DEFAULTS.mirrorMemory,
    },
    memoryCorpus: {
      type: "boolean",
      description: "Whether OpenClaw's own memory_search and memory_get find notes as well.",
      default: DEFAULTS.memoryCorpus,
    },
    scope: {
      type: "string",
      enum: ["direct", "any"],
      description: "Where notes may be searched: direct chats only, or any chat.",
      default: DEFAULTS.scope,
    },
    askBeforeMemory: {
      type: "string",
      enum: ["always", "forget", "never"],
      description: "When you are asked before the assistant writes into its memory or erases from it.",
      default: DEFAULTS.askBeforeMemory,
    },
  },
} as const;

/** The settings in force: configured values (OpenClaw has checked them), defaults for the rest. */
export function settingsOf(config: unknown): Settings {
  const given = Object.entries((config ?? {}) as Partial<Settings>);
  return { ...DEFAULTS, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}
