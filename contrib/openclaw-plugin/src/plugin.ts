/** The plugin for OpenClaw: nine tools, questions before withheld passages are shown and before the memory
 * changes, a service that asks for the status once, a slash command. */

import { socketAddress } from "./address.js";
import { READ } from "./agent_tools.js";
import { type Asker, askerOf, SOMEBODY } from "./asker.js";
import { CALLS } from "./calls.js";
import { type Client, createClient } from "./client.js";
import { CollectionLists } from "./collections.js";
import { Consent, WITHHOLDING } from "./consent.js";
import { corpusOf } from "./corpus.js";
import { HealthCache } from "./health.js";
import type { Api, FactoryContext, Tool } from "./host.js";
import { MEMORY_TOOLS, permissionFor } from "./permission.js";
import { chatOf, type StoredSession } from "./scope.js";
import { CONFIG_SCHEMA, type Settings, settingsOf } from "./settings.js";
import { forPerson, oneLine } from "./status.js";
import type { ToolText } from "./tool_text.js";
import { SEARCH, STATUS, TOOLS } from "./tools.js";

export const ABOUT = {
  id: "obsidian-rag",
  name: "Obsidian RAG",
  description: "Answers from your Obsidian notes, searched on this machine by ragd.",
  configSchema: CONFIG_SCHEMA,
} as const;

/** What is known of a daemon. Kept, because tools are made again for every run of an agent. */
interface Known {
  health: HealthCache;
  lists: CollectionLists;
  consent: Consent;
}

/** Offered to the model directly. Otherwise Tool Search would list them in a catalogue only, and models would
 * not use them. */
const DIRECT: readonly string[] = [SEARCH.name, READ.name];

const daemons = new Map<string, Known>();

/** The declarations for defineToolPlugin. */
export function declarations() {
  return TOOLS.map((text) => ({
    ...text,
    factory: (made: FactoryContext) => makeTool(text, made),
  }));
}

export function makeTool(text: ToolText, { api, config, toolContext }: FactoryContext): Tool {
  const settings = settingsOf(config);
  const { clientFor, health, lists, consent } = connection(settings);
  const stored = storedSessions(api);
  const call = CALLS[text.name]!;
  const isSearch = text.name === SEARCH.name;
  const isRun = Boolean(toolContext.agentId ?? toolContext.sessionKey); // else it is only listed
  return {
    ...text,
    ...(DIRECT.includes(text.name) ? { catalogMode: "direct-only" as const } : {}),
    get description() {
      if (!isSearch || !isRun) return text.description;
      const asker = askerOf(toolContext, stored);
      const sentence = lists.sentence(clientFor(asker), `${asker.chat} ${asker.agent}`);
      return sentence ? `${text.description} ${sentence}` : text.description;
    },
    execute: async (_id, params, signal) => {
      if (WITHHOLDING.includes(text.name)) await consent.settled(params);
      const client = clientFor(askerOf(toolContext, stored));
      return call({ client, health, settings, context: toolContext, stored }, params, signal);
    },
  };
}

/** Registers the questions, the service, the command and the corpus. It opens no connection. */
export function registerExtras(api: Api): void {
  const settings = settingsOf(api.pluginConfig);
  const { clientFor, consent } = connection(settings);
  const stored = storedSessions(api);
  if (settings.memoryCorpus)
    api.registerMemoryCorpusSupplement(corpusOf(clientFor, settings, stored));
  api.on(
    "before_tool_call",
    (event, context) => consent.before(event, context, clientFor(null), stored),
    { matcher: WITHHOLDING },
  );
  api.on(
    "before_tool_call",
    async (event, context) =>
      chatOf(context, stored) === "shared" // ragd refuses it there
        ? undefined
        : permissionFor(event, settings.askBeforeMemory),
    { matcher: [MEMORY_TOOLS.write, MEMORY_TOOLS.forget] },
  );
  api.registerCommand({
    name: "ragstatus",
    description: "Show the status of the search in your notes, without a model.",
    handler: async () => ({ text: forPerson(await clientFor(SOMEBODY).call(STATUS.name, {})) }),
  });
  if (api.registrationMode !== "full") return;
  let running = new AbortController();
  api.registerService({
    id: ABOUT.id,
    start: ({ logger }) => {
      const { signal } = (running = new AbortController());
      void clientFor(null).call(STATUS.name, {}, signal).then((answer) => {
        if (!signal.aborted) logger[answer.error ? "warn" : "info"](oneLine(answer));
      });
    },
    stop: () => running.abort(),
  });
}

function connection(
  settings: Settings,
): Known & { clientFor: (asker: Asker | null) => Client } {
  const socketPath = socketAddress(settings.socketPath);
  const known = daemons.get(socketPath) ?? {
    health: new HealthCache(),
    lists: new CollectionLists(),
    consent: new Consent(),
  };
  daemons.set(socketPath, known);
  const { timeoutMs } = settings;
  return { ...known, clientFor: (asker) => createClient({ socketPath, timeoutMs, asker }) };
}

export function storedSessions(api: Pick<Api, "runtime">): StoredSession {
  return (sessionKey, agentId) => {
    try {
      const session = api.runtime?.agent?.session;
      return session?.getSessionEntry?.({ sessionKey, ...(agentId ? { agentId } : {}) });
    } catch {
      return undefined; // a session that is not stored, or a host without this: unknown
    }
  };
}
