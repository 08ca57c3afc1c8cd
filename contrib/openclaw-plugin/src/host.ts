/** The part of OpenClaw's plugin interface that this plugin uses. Types only. */

import type { ToolResult } from "./answer.js";
import type { ChatContext } from "./scope.js";
import type { Workspace } from "./remember.js";

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
}

export interface Service {
  id: string;
  start(context: { logger: Logger }): void;
  stop(): void;
}

export interface Command {
  name: string;
  description: string;
  handler(): Promise<{ text: string }>;
}

/** A hit for memory_search. OpenClaw also accepts a `title`; ours is inside the fence. */
export interface CorpusHit {
  corpus: string;
  path: string;
  kind: string;
  score: number;
  snippet: string;
  startLine: number;
  endLine: number;
  citation?: string;
}

/** Lines for memory_get. */
export interface CorpusPassage {
  corpus: string;
  path: string;
  kind: string;
  content: string;
  fromLine: number;
  lineCount: number;
}

export interface CorpusSupplement {
  search(asked: {
    query: string;
    maxResults?: number;
    agentId?: string;
    agentSessionKey?: string;
  }): Promise<CorpusHit[]>;
  get(asked: {
    lookup: string;
    fromLine?: number;
    lineCount?: number;
    agentId?: string;
    agentSessionKey?: string;
  }): Promise<CorpusPassage | null>;
}

/** A call that is about to run. */
export interface BeforeToolCall {
  toolName: string;
  params: Record<string, unknown>;
}

export interface HookContext {
  agentId?: string;
  sessionKey?: string;
}

export interface BeforeToolCallResult {
  requireApproval: {
    title: string;
    description: string;
    severity: "warning";
    timeoutMs: number;
    allowedDecisions: ("allow-once" | "deny")[];
    /** OpenClaw does not wait for it before the call runs. */
    onResolution?(decision: string): Promise<void>;
  };
}

export interface Api {
  registrationMode: string;
  pluginConfig?: Record<string, unknown>;
  runtime?: {
    agent?: {
      session?: {
        getSessionEntry?(which: { sessionKey: string; agentId?: string }): unknown;
      };
    };
  };
  on(
    hook: "before_tool_call",
    handler: (event: BeforeToolCall, context: HookContext) => Promise<BeforeToolCallResult | undefined>,
    options: { matcher: [string, ...string[]] },
  ): void;
  registerService(service: Service): void;
  registerCommand(command: Command): void;
  registerMemoryCorpusSupplement(supplement: CorpusSupplement): void;
}

export interface FactoryContext {
  api: Api;
  config: unknown;
  toolContext: ChatContext & Workspace;
}

export interface Tool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  catalogMode?: "direct-only";
  execute(toolCallId: string, params: unknown, signal?: AbortSignal): Promise<ToolResult>;
}
