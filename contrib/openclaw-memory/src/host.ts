/** The part of OpenClaw's plugin interface that the memory plugin uses beside the first plugin's. Types only. */

import type { Api, BeforeToolCall, BeforeToolCallResult, HookContext } from "../../openclaw-plugin/src/host.js";

export interface FlushPlan {
  softThresholdTokens: number;
  forceFlushTranscriptBytes: number;
  reserveTokensFloor: number;
  model?: string;
  prompt: string;
  systemPrompt: string;
  relativePath: string;
}

export interface MemoryCapability {
  promptBuilder(asked: { availableTools: Set<string>; citationsMode?: string }): string[];
  flushPlanResolver(asked: { cfg?: unknown; nowMs?: number; contextWindowTokens?: number }): FlushPlan | null;
}

export interface ToolHookContext extends HookContext {
  channelId?: string;
  requester?: { channel?: string };
}

type ToolHook = (
  event: BeforeToolCall,
  context: ToolHookContext,
) => Promise<BeforeToolCallResult | { params: Record<string, unknown> } | undefined>;

type ResetHook = (event: { messages?: unknown[]; reason?: string }, context: HookContext) => Promise<void>;

export interface MemoryApi extends Pick<Api, "runtime" | "pluginConfig" | "registrationMode"> {
  logger?: { warn(message: string): void };
  config?: unknown;
  on(hook: "before_tool_call", handler: ToolHook, options: { matcher: [string, ...string[]] }): void;
  on(hook: "before_reset", handler: ResetHook): void;
  registerMemoryCapability(capability: MemoryCapability): void;
}
