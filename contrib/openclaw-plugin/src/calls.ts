/** Handles the calls of the tools; those that read on and remember are in `agent_calls`. The only part of OpenClaw it uses is the context of a call. */

import { AGENT_CALLS } from "./agent_calls.js";
import { plainResult, searchResult, type ToolResult } from "./answer.js";
import type { Client } from "./client.js";
import type { HealthCache } from "./health.js";
import { cites, isOutOfScope, NOT_HERE } from "./privacy.js";
import { judged, mirrored, type Workspace } from "./remember.js";
import { type ChatContext, chatOf, type StoredSession } from "./scope.js";
import type { Settings } from "./settings.js";
import { forModel, quotesNotes } from "./status.js";
import { cleaned, INDEX, MEMORY_STORE, SEARCH, STATUS } from "./tools.js";

export interface Surroundings {
  /** The client of this agent in this chat. */
  client: Client;
  health: HealthCache;
  settings: Settings;
  context: ChatContext & Workspace;
  stored: StoredSession;
}

export type Call = (
  around: Surroundings,
  params: unknown,
  signal: AbortSignal | undefined,
) => Promise<ToolResult>;

const search: Call = async (around, params, signal) => {
  const { client, health, settings } = around;
  const chat = chatOf(around.context, around.stored);
  if (isOutOfScope(settings, chat)) return plainResult(SEARCH.name, NOT_HERE);
  const checked = await health.check(client, signal);
  if (checked?.error && (checked.status === "unavailable" || checked.data === null)) {
    return plainResult(SEARCH.name, { ...checked, data: null });
  }
  const answer = await client.call(SEARCH.name, cleaned(params), signal);
  health.record(answer);
  return searchResult(answer, settings, cites(settings, chat), chat !== "shared");
};

const index: Call = async ({ client, health }, params, signal) => {
  const answer = await client.call(INDEX.name, cleaned(params), signal);
  health.record(answer);
  return plainResult(INDEX.name, answer);
};

const status: Call = async ({ client, health, context, stored }, params, signal) => {
  const answer = await client.call(STATUS.name, cleaned(params), signal);
  health.record(answer);
  const shown = forModel(answer, chatOf(context, stored) === "shared");
  return plainResult(STATUS.name, shown, quotesNotes(shown));
};

const memoryStore: Call = async (around, params, signal) => {
  const { client, health, settings, context } = around;
  if (isOutOfScope(settings, chatOf(context, around.stored))) {
    return plainResult(MEMORY_STORE.name, NOT_HERE);
  }
  const args = cleaned(params);
  const answer = await client.call(MEMORY_STORE.name, args, signal);
  health.record(answer);
  if (answer.data?.["stored"] !== true) return plainResult(MEMORY_STORE.name, answer);
  const { stored, key } = answer.data; // the model already has the other fields
  const also = await mirrored(settings.mirrorMemory, judged(args, answer.data), context);
  return plainResult(MEMORY_STORE.name, { ...answer, data: { stored, key, ...also } });
};

export const CALLS: Readonly<Record<string, Call>> = {
  [SEARCH.name]: search,
  [INDEX.name]: index,
  [STATUS.name]: status,
  [MEMORY_STORE.name]: memoryStore,
  ...AGENT_CALLS,
};
