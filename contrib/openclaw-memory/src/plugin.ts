/** OpenClaw's memory slot, served by ragd: four tools, the prompt section, the flush before a compaction and the
 * summary on /new. It opens no connection while it registers. */

import { AGENT_CALLS } from "../../openclaw-plugin/src/agent_calls.js";
import { MEMORY_FORGET, MEMORY_WRITE } from "../../openclaw-plugin/src/agent_tools.js";
import { socketAddress } from "../../openclaw-plugin/src/address.js";
import { type Asker, askerOf } from "../../openclaw-plugin/src/asker.js";
import { createClient } from "../../openclaw-plugin/src/client.js";
import { isObject } from "../../openclaw-plugin/src/envelope.js";
import { HealthCache } from "../../openclaw-plugin/src/health.js";
import type { FactoryContext, Tool } from "../../openclaw-plugin/src/host.js";
import { permissionFor } from "../../openclaw-plugin/src/permission.js";
import { storedSessions } from "../../openclaw-plugin/src/plugin.js";
import { chatOf } from "../../openclaw-plugin/src/scope.js";
import type { ToolText } from "../../openclaw-plugin/src/tool_text.js";
import { dayOf } from "./day.js";
import { chatOfFlush, flushPlan, savedBy } from "./flush.js";
import type { MemoryApi } from "./host.js";
import { promptSection } from "./prompt.js";
import { getMemory, searchMemory } from "./recall.js";
import { MEMORY_CONFIG_SCHEMA, type MemorySettings, memorySettingsOf } from "./settings.js";
import { messagesSince, summaryOf } from "./summary.js";
import { FORGET_MEMORY, GET_MEMORY, MEMORY_SLOT_TOOLS, SEARCH_MEMORY, WRITE_MEMORY } from "./tools.js";

export const ABOUT_MEMORY = {
  id: "obsidian-rag-memory",
  name: "Obsidian RAG Memory",
  description: "The assistant's memory, kept and searched on this machine by ragd.",
  configSchema: MEMORY_CONFIG_SCHEMA,
} as const;

const NAMES = { write: WRITE_MEMORY.name, forget: FORGET_MEMORY.name };

export function memoryDeclarations() {
  return MEMORY_SLOT_TOOLS.map((text) => ({
    ...text,
    factory: (made: FactoryContext) => makeMemoryTool(text, made),
  }));
}

export function makeMemoryTool(text: ToolText, { api, config, toolContext }: FactoryContext): Tool {
  const settings = memorySettingsOf(config);
  const stored = storedSessions(api);
  return {
    ...text,
    catalogMode: "direct-only",
    execute: async (_id, given, signal) => {
      const params = isObject(given) ? given : {};
      const client = clientOf(settings, askerOf(toolContext, stored));
      const around = { client, health: new HealthCache(), settings, context: toolContext, stored };
      if (text.name === SEARCH_MEMORY.name) return searchMemory(around, params, signal);
      if (text.name === GET_MEMORY.name) return getMemory(around, params);
      const call = text.name === WRITE_MEMORY.name ? MEMORY_WRITE.name : MEMORY_FORGET.name;
      return AGENT_CALLS[call]!(around, params, signal);
    },
  };
}

export function registerMemory(api: MemoryApi): void {
  const settings = memorySettingsOf(api.pluginConfig);
  const stored = storedSessions(api);
  if (api.registrationMode === "full" && isDreaming(api)) api.logger?.warn(DREAMING);
  api.registerMemoryCapability({
    promptBuilder: promptSection,
    flushPlanResolver: (asked) => (settings.flush ? flushPlan(asked) : null),
  });
  api.on(
    "before_tool_call",
    async (event, context) =>
      chatOf(context, stored) === "shared" ? undefined : permissionFor(event, settings.askBeforeMemory, NAMES),
    { matcher: [NAMES.write, NAMES.forget] },
  );
  if (settings.flush) {
    api.on(
      "before_tool_call",
      async ({ params }, context) => {
        const saved = savedBy(params, context);
        if (saved === null) return undefined;
        const asker = { ...askerOf(context, stored), chat: chatOfFlush(context, stored) };
        const kept = await append(settings, asker, saved);
        return kept ? { params: { ...params, content: "" } } : undefined;
      },
      { matcher: ["write"] },
    );
  }
  if (settings.summary) {
    const summarised = new Map<string, number>(); // when a chat was last summarised; OpenClaw passes older messages, too
    api.on("before_reset", async ({ messages }, context) => {
      if (chatOf(context, stored) === "shared") return;
      const [key, now] = [context.sessionKey ?? "", Date.now()];
      const text = summaryOf(messagesSince(messages, summarised.get(key) ?? 0), key, now, zoneOf(api));
      if (text === null) return;
      const path = `memory/${dayOf(now, zoneOf(api))}.md`;
      const kept = await append(settings, askerOf(context, stored), { path, text });
      if (kept) summarised.set(key, now);
      else api.logger?.warn("obsidian-rag-memory: the summary of a conversation was not kept");
    });
  }
}

/** True if ragd has it. */
async function append(
  settings: MemorySettings,
  asker: Asker,
  { path, text }: { path: string; text: string },
): Promise<boolean> {
  const args = { path, text: `${text.trim()}\n`, append: true };
  return (await clientOf(settings, asker).call(MEMORY_WRITE.name, args)).data !== null;
}

function clientOf(settings: MemorySettings, asker: Asker) {
  const { timeoutMs } = settings;
  return createClient({ socketPath: socketAddress(settings.socketPath), timeoutMs, asker });
}

function zoneOf(api: MemoryApi): unknown {
  return valueAt(api.config, "agents", "defaults", "userTimezone");
}

const DREAMING =
  "obsidian-rag-memory: OpenClaw's dreaming is on, so its own memory_search and memory_get are used. Switch it off: " +
  "openclaw config set plugins.entries.obsidian-rag-memory.config.dreaming.enabled false";

/** With dreaming, OpenClaw loads its own memory beside the slot, and of two tools with one name uses its own. */
function isDreaming({ config, pluginConfig }: MemoryApi): boolean {
  const own = valueAt(pluginConfig, "dreaming", "enabled");
  return own !== false && valueAt(config, "plugins", "entries", "memory-core", "enabled") !== false;
}

function valueAt(value: unknown, ...names: string[]): unknown {
  for (const name of names) value = isObject(value) ? value[name] : undefined;
  return value;
}
