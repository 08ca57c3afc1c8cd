/** Sends requests to ragd. The answer is always an envelope: this module throws no exception. */

import { type Asker, headersOf } from "./asker.js";
import { type Envelope, failure, parseEnvelope } from "./envelope.js";
import { NotOurs } from "./owner.js";
import { type HttpAnswer, type HttpRequest, exchange } from "./socket.js";

export interface Client {
  /** One of the tools. */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Envelope>;
  /** Lines of a note, counted from 1, or a place of a document; null if there is no such note. */
  read(path: string, from: number, to: number, place?: string): Promise<Envelope | null>;
  /** The collections that this asker may search. */
  collections(): Promise<Envelope>;
  /** The withheld passages that wait for approval. Only the user may see them. */
  approvals(): Promise<Envelope>;
  /** Releases or refuses one. Only the user may; call it only with the user's decision. */
  decide(id: string, release: boolean): Promise<Envelope>;
}

export interface ClientOptions {
  socketPath: string;
  timeoutMs: number;
  /** Who asks; null: the user, who may see everything. */
  asker: Asker | null;
  /** How long to wait before the one retry: no daemon listens yet, or it is still opening the index. */
  retryAfterMs?: { absent: number; starting: number };
  exchange?: (ask: HttpRequest) => Promise<HttpAnswer>;
}

/** `harmless`: it only reads, so it may be done twice. */
type Target = Pick<HttpRequest, "method" | "path" | "body"> & { harmless: boolean };

/** `status` is the HTTP status, 0 if there was no answer. */
interface Reply {
  status: number;
  envelope: Envelope;
}

const NOT_FOUND = 404;

/** No daemon received the request, so a retry cannot do anything twice. */
const NOT_LISTENING = new Set(["ENOENT", "ECONNREFUSED"]);

/** The connection broke: the daemon may have handled the request. */
const INTERRUPTED = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);

const READS = new Set(
  ["search", "status", "read", "related", "memory_search"].map((name) => `obsidian_rag_${name}`),
);

export function createClient(options: ClientOptions): Client {
  const { socketPath, timeoutMs, retryAfterMs = { absent: 700, starting: 2_000 } } = options;
  const send = options.exchange ?? exchange;
  const headers = options.asker === null ? {} : headersOf(options.asker);

  async function sendOnce(target: Target, signal: AbortSignal): Promise<Reply | Error> {
    try {
      const { method, path, body: sent } = target;
      const request = sent === undefined ? { method, path } : { method, path, body: sent };
      const { status, body } = await send({ ...request, headers, socketPath, signal });
      return { status, envelope: parseEnvelope(body) ?? notRagd(socketPath) };
    } catch (reason) {
      return reason instanceof Error ? reason : new Error(String(reason));
    }
  }

  async function ask(target: Target, cancelled?: AbortSignal): Promise<Reply> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = cancelled ? AbortSignal.any([cancelled, deadline]) : deadline;
    let reply = await sendOnce(target, signal);
    const wait = reply instanceof Error ? retryAfterMs.absent : retryAfterMs.starting;
    const again = mayBeStarting(reply) || (target.harmless && wasInterrupted(reply));
    if (again && (await pause(wait, signal))) reply = await sendOnce(target, signal);
    if (!(reply instanceof Error)) return reply;
    if (cancelled?.aborted) return { status: 0, envelope: CANCELLED };
    const late = deadline.aborted && !mayBeStarting(reply);
    return { status: 0, envelope: late ? timedOut(timeoutMs) : unreachable(reply, socketPath) };
  }

  return {
    async call(tool, args, cancelled) {
      const path = `/v1/tools/${encodeURIComponent(tool)}`;
      // A token can be used only once.
      const harmless = READS.has(tool) && args.confirm === undefined;
      const target: Target = { method: "POST", path, body: JSON.stringify(args), harmless };
      return (await ask(target, cancelled)).envelope;
    },
    async read(path, from, to, place) {
      const part = place ? `place=${encodeURIComponent(place)}` : `from=${from}&to=${to}`;
      const query = `path=${encodeURIComponent(path)}&${part}`;
      const target: Target = { method: "GET", path: `/v1/notes?${query}`, harmless: true };
      const { status, envelope } = await ask(target);
      return status === NOT_FOUND ? null : envelope;
    },
    async collections() {
      const target: Target = { method: "GET", path: "/v1/collections", harmless: true };
      return (await ask(target)).envelope;
    },
    async approvals() {
      const target: Target = { method: "GET", path: "/v1/approvals", harmless: true };
      return (await ask(target)).envelope;
    },
    async decide(id, release) {
      const path = `/v1/approvals/${encodeURIComponent(id)}`;
      const body = JSON.stringify({ release });
      return (await ask({ method: "POST", path, body, harmless: false })).envelope;
    },
  };
}

function mayBeStarting(reply: Reply | Error): boolean {
  return reply instanceof Error
    ? NOT_LISTENING.has(codeOf(reply))
    : reply.envelope.error?.code === "STARTING";
}

function wasInterrupted(reply: Reply | Error): boolean {
  return reply instanceof Error && INTERRUPTED.has(codeOf(reply));
}

/** True if the time passed before the signal. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const timer = setTimeout(() => done(true), ms);
    const aborted = () => done(false);
    signal.addEventListener("abort", aborted, { once: true });
    function done(passed: boolean): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      resolve(passed);
    }
  });
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

const CANCELLED = failure(
  "CANCELLED",
  "The call was cancelled.",
  "Repeat the call if it is still needed.",
);

function timedOut(timeoutMs: number): Envelope {
  return failure(
    "TIMEOUT",
    `ragd did not answer within ${timeoutMs} ms.`,
    "Try again; `ragctl status` shows what it is doing.",
    { status: "degraded" },
  );
}

function unreachable(error: Error, socketPath: string): Envelope {
  const code = codeOf(error);
  if (NOT_LISTENING.has(code)) {
    return failure(
      "DAEMON_NOT_RUNNING",
      `ragd, the daemon that searches the notes, is not running (no daemon listens at ${socketPath}).`,
      "The user types `ragctl start` in a terminal; the first time, `ragctl index --vault FOLDER`.",
    );
  }
  if (error instanceof NotOurs) {
    const message = `${error.message} The plugin sent nothing to it.`;
    return failure("DAEMON_NOT_OURS", message, error.suggestion, { recoverable: false });
  }
  if (code === "EACCES" || code === "EPERM") {
    return failure(
      "DAEMON_NOT_OURS",
      `ragd's socket ${socketPath} belongs to another user.`,
      "Run ragd and OpenClaw as the same user, or set the plugin's socketPath.",
      { recoverable: false },
    );
  }
  return failure(
    "DAEMON_UNREACHABLE",
    `The connection to ragd at ${socketPath} failed${code && ` (${code})`}.`,
    "The user types `ragctl doctor` in a terminal.",
  );
}

function notRagd(socketPath: string): Envelope {
  return failure(
    "DAEMON_UNREACHABLE",
    `The answer from ${socketPath} is not from ragd, or from another version of it.`,
    "Set the plugin's socketPath to ragd's socket; `ragctl doctor` names it.",
    { recoverable: false },
  );
}
