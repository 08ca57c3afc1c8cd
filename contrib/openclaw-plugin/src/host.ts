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
  registerService(service: Service): void;
  registerCommand(command: Command): void;
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
