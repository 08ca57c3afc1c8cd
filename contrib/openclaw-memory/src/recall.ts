/** Answers memory_search and memory_get in the form that OpenClaw's prompts expect: JSON in the content. Text
 * of notes is fenced. Problems become a warning in the answer; nothing is thrown. */

import type { ToolResult } from "../../openclaw-plugin/src/answer.js";
import type { Surroundings } from "../../openclaw-plugin/src/calls.js";
import { corpusOf, dataOf, hit, refusal, WITHHELD, withWarnings } from "../../openclaw-plugin/src/corpus.js";
import { fitting } from "../../openclaw-plugin/src/cutting.js";
import { type Envelope, isObject } from "../../openclaw-plugin/src/envelope.js";
import type { CorpusHit } from "../../openclaw-plugin/src/host.js";
import { addressOf } from "../../openclaw-plugin/src/lookup.js";
import { cites, isOutOfScope, NOT_HERE } from "../../openclaw-plugin/src/privacy.js";
import { chatOf } from "../../openclaw-plugin/src/scope.js";
import { SEARCH } from "../../openclaw-plugin/src/tools.js";
import type { MemorySettings } from "./settings.js";

type Row = Record<string, unknown>;
export type MemorySurroundings = Surroundings & { settings: MemorySettings };

const MOST_RESULTS = 50; // the daemon's limit
const DEFAULT_RESULTS = 6;

export async function searchMemory(
  around: MemorySurroundings,
  params: Row,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  try {
    return json("memory_search", await found(around, params, signal));
  } catch (reason) {
    return json("memory_search", { results: [], disabled: true, warning: messageOf(reason) }, "UNAVAILABLE");
  }
}

export async function getMemory(around: MemorySurroundings, params: Row): Promise<ToolResult> {
  const { settings, stored, client, context } = around;
  const path = String(params["path"] ?? "");
  try {
    const { agentId, sessionKey } = context;
    const passage = await corpusOf(() => client, settings, stored).get({
      lookup: path,
      ...(typeof params["from"] === "number" ? { fromLine: params["from"] } : {}),
      ...(typeof params["lines"] === "number" ? { lineCount: params["lines"] } : {}),
      ...(agentId ? { agentId } : {}),
      ...(sessionKey ? { agentSessionKey: sessionKey } : {}),
    });
    if (passage === null) return json("memory_get", { status: "not_found", path, text: "" });
    const { content: text, fromLine: from, lineCount: lines } = passage;
    return json("memory_get", { status: "ok", path: passage.path, text, from, lines });
  } catch (reason) {
    return json("memory_get", { status: "error", path, text: "", error: messageOf(reason) }, "MEMORY_READ_FAILED");
  }
}

/** The collections that a corpus of OpenClaw stands for. */
export function collectionsOf(corpus: unknown, vault: boolean): string[] {
  if (corpus === "memory") return ["memory"];
  if (corpus === "sessions") return ["sessions"];
  if (corpus === "wiki") return vault ? ["vault"] : [];
  return ["memory", "sessions", ...(vault ? ["vault"] : [])];
}

async function found(around: MemorySurroundings, params: Row, signal?: AbortSignal): Promise<Row> {
  const { client, settings, context, stored } = around;
  const chat = chatOf(context, stored);
  if (isOutOfScope(settings, chat)) throw refusal(NOT_HERE);
  const collections = collectionsOf(params["corpus"], settings.vault);
  if (collections.length === 0) return { results: [], warning: "The vault is not part of this memory." };
  const wanted = Number(params["maxResults"] ?? DEFAULT_RESULTS);
  const min = params["minScore"];
  const args = {
    query: params["query"],
    max_results: Math.min(Math.max(wanted, 1), MOST_RESULTS),
    ...(typeof min === "number" ? { min_score: Math.min(Math.max(min, 0), 1) } : {}),
  };
  const answer = await ask(client, args, collections, signal);
  const data = dataOf(answer);
  const shown = fitting(rows(data["results"]), "chunk_text", settings.snippetChars, settings.maxChars);
  const cite = cites(settings, chat);
  const hits = shown.rows.map((row) => ({ ...hit(row, cite), corpus: corpusOfPath(row["source_file"]) }));
  const facts = collections.includes("memory") ? rows(data["memories"]).map(fact) : [];
  const { provider, model } = answer.meta;
  return {
    results: [...facts, ...hits],
    ...{ provider, model, citations: cite ? "on" : "off" },
    ...warnings(data, answer.error ? `${answer.error.message} ${answer.error.suggestion}` : ""),
  };
}

/** Past conversations may be switched off, and an agent's memory may be empty: then there is no such collection,
 * and the others are searched. */
async function ask(
  client: MemorySurroundings["client"],
  args: Row,
  collections: readonly string[],
  signal?: AbortSignal,
): Promise<Envelope> {
  let answer = await client.call(SEARCH.name, { ...args, collections }, signal);
  for (const fewer of [["memory", "vault"], ["sessions", "vault"], ["memory"], ["sessions"], ["vault"]]) {
    if (answer.error?.code !== "UNKNOWN_COLLECTION") break;
    const left = collections.filter((name) => fewer.includes(name));
    if (left.length === 0 || left.length === collections.length || left.length < fewer.length) continue;
    answer = await client.call(SEARCH.name, { ...args, collections: left }, signal);
  }
  return answer;
}

function fact(row: Row): CorpusHit {
  return {
    corpus: "memory",
    path: addressOf(String(row["source"]), row["injection_suspected"] === true),
    kind: "fact",
    score: 1,
    snippet: withWarnings(row, `${row["key"]}: ${row["value"]}\nFrom: ${row["source"]}`, []),
    startLine: 1,
    endLine: 1,
  };
}

function warnings(data: Row, problem: string): Row {
  const texts = [data["withheld"] ? WITHHELD : problem].filter(Boolean);
  return texts.length > 0 ? { warning: texts.join(" ") } : {};
}

function corpusOfPath(path: unknown): string {
  const first = String(path).split("/")[0];
  return first === "@memory" || first === "@sessions" ? first.slice(1) : "vault";
}

/** The payload in the content only; `failed` marks the call as failed. */
function json(tool: string, payload: Row, failed?: string): ToolResult {
  const details = failed === undefined ? { tool } : { ok: false, error: failed };
  return { content: [{ type: "text", text: JSON.stringify(payload) }], details };
}

function rows(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

