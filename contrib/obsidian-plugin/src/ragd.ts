/** Calls ragd on its private socket. It opens no network connection and starts no process. */

import { socketAddress } from "../../openclaw-plugin/src/address.js";
import { parseEnvelope } from "../../openclaw-plugin/src/envelope.js";
import { NotOurs } from "../../openclaw-plugin/src/owner.js";
import { exchange } from "../../openclaw-plugin/src/socket.js";
import {
  type Passage,
  type RagdStatus,
  type RelatedNote,
  deniedFolders,
  passages,
  relatedNotes,
  statusOf,
} from "./answers.js";

const WITHIN_MS = 12_000;
const NOT_LISTENING = new Set(["ENOENT", "ECONNREFUSED"]);

/** Why there is no answer, in words for a person. */
export class RagdError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface SearchAnswer {
  passages: Passage[];
  /** Nothing is likely to answer; the passages are only the nearest. */
  isAnswered: boolean;
  withheld: number;
  /** Shows what is withheld, once. */
  confirm: string | null;
  /** Why the answer may be incomplete. */
  warning: string | null;
}

export interface Search {
  query: string;
  most: number;
  confirm?: string;
  signal?: AbortSignal;
}

type Data = Record<string, unknown>;

export class Ragd {
  readonly #socketPath: () => string;

  /** `configured`: the socket in the settings; empty for ragd's own choice. */
  constructor(configured: () => string) {
    this.#socketPath = () => socketAddress(configured());
  }

  async related(path: string, most: number): Promise<RelatedNote[]> {
    const body = { path, max_results: most };
    return relatedNotes((await this.#call("POST", "/v1/tools/obsidian_rag_related", body)).data);
  }

  async search(wanted: Search): Promise<SearchAnswer> {
    const { query, most, confirm, signal } = wanted;
    const body = { query, max_results: most, ...(confirm === undefined ? {} : { confirm }) };
    const path = "/v1/tools/obsidian_rag_search";
    const { data, warning } = await this.#call("POST", path, body, signal);
    return {
      passages: passages(data),
      isAnswered: data["answered"] !== false,
      withheld: typeof data["withheld"] === "number" ? data["withheld"] : 0,
      confirm: typeof data["confirm"] === "string" ? data["confirm"] : null,
      warning,
    };
  }

  async status(): Promise<RagdStatus> {
    return statusOf((await this.#call("GET", "/v1/status")).data);
  }

  async deniedFolders(): Promise<string[]> {
    return deniedFolders((await this.#call("GET", "/v1/folders")).data);
  }

  /** Never index a folder of the vault, or index it again. Returns the folders that are denied now. */
  async setNever(folder: string, never: boolean): Promise<string[]> {
    return deniedFolders((await this.#call("POST", "/v1/folders", { folder, never })).data);
  }

  async sync(): Promise<void> {
    await this.#call("POST", "/v1/jobs", { mode: "sync" });
  }

  async #call(
    method: "GET" | "POST",
    path: string,
    body?: Data,
    cancelled?: AbortSignal,
  ): Promise<{ data: Data; warning: string | null }> {
    const socketPath = this.#socketPath();
    const deadline = AbortSignal.timeout(WITHIN_MS);
    const signal = cancelled ? AbortSignal.any([cancelled, deadline]) : deadline;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    let answer: { body: string };
    try {
      answer = await exchange({ socketPath, method, path, headers: {}, signal, ...sent });
    } catch (reason) {
      throw explained(reason, deadline.aborted);
    }
    const envelope = parseEnvelope(answer.body);
    if (envelope === null) throw new RagdError("NOT_RAGD", "The answer is not from ragd.");
    const { data, error } = envelope;
    if (data !== null) return { data, warning: error && `${error.message} ${error.suggestion}` };
    if (error === null) throw new RagdError("NOT_RAGD", "The answer is empty.");
    throw new RagdError(error.code, `${error.message} ${error.suggestion}`.trim());
  }
}

function explained(reason: unknown, isLate: boolean): RagdError {
  if (reason instanceof NotOurs) return new RagdError("NOT_OURS", reason.message);
  if (isLate) return new RagdError("TIMEOUT", "Ragd did not answer in time.");
  const code = (reason as NodeJS.ErrnoException).code ?? "";
  if (NOT_LISTENING.has(code)) {
    const how = "Start it in a terminal: ragctl start";
    return new RagdError("NOT_RUNNING", `Ragd is not running. ${how}`);
  }
  if (reason instanceof Error && reason.name === "AbortError") {
    return new RagdError("CANCELLED", "The question was replaced by a newer one.");
  }
  return new RagdError("UNREACHABLE", "The connection to ragd failed. Try: ragctl doctor");
}
