/** Asks ragd. Whatever happens, the answer is an envelope: no exception leaves this module. */

import { type Envelope, failure, parseEnvelope } from "./envelope.js";
import { NotOurs } from "./owner.js";
import { type Answered, type Ask, exchange } from "./socket.js";

export interface Client {
  /** One of the four tools. */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Envelope>;
  /** Lines of a note, counted from 1; null if there is no such note. */
  read(path: string, from: number, to: number): Promise<Envelope | null>;
}

export interface ClientOptions {
  socketPath: string;
  timeoutMs: number;
  /** How long to wait before the one retry: nobody listens (yet), or the index is being opened. */
  retryAfterMs?: { absent: number; starting: number };
  exchange?: (ask: Ask) => Promise<Answered>;
}

/** `harmless`: it only reads, so it may be done twice. */
type Target = Pick<Ask, "method" | "path" | "body"> & { harmless: boolean };

/** `status` is that of HTTP, 0 where nobody answered. */
interface Told {
  status: number;
  envelope: Envelope;
}

const NOT_FOUND = 404;

/** Nobody took the request in these cases, so that asking again cannot do a thing twice. */
const NOBODY_THERE = new Set(["ENOENT", "ECONNREFUSED"]);

/** The daemon went away in the middle: it may have done what was asked. */
const INTERRUPTED = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);

const READS = new Set(["obsidian_rag_search", "obsidian_rag_status"]);

export function createClient(options: ClientOptions): Client {
  const { socketPath, timeoutMs, retryAfterMs = { absent: 700, starting: 2_000 } } = options;
  const send = options.exchange ?? exchange;

  async function once(target: Target, signal: AbortSignal): Promise<Told | Error> {
    try {
      const { method, path, body: sent } = target;
      const asked = sent === undefined ? { method, path } : { method, path, body: sent };
      const { status, body } = await send({ ...asked, socketPath, signal });
      return { status, envelope: parseEnvelope(body) ?? notRagd(socketPath) };
    } catch (reason) {
      return reason instanceof Error ? reason : new Error(String(reason));
    }
  }

  async function ask(target: Target, cancelled?: AbortSignal): Promise<Told> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = cancelled ? AbortSignal.any([cancelled, deadline]) : deadline;
    let told = await once(target, signal);
    const wait = told instanceof Error ? retryAfterMs.absent : retryAfterMs.starting;
    const again = mayBeStarting(told) || (target.harmless && wasInterrupted(told));
    if (again && (await pause(wait, signal))) told = await once(target, signal);
    if (!(told instanceof Error)) return told;
    if (cancelled?.aborted) return { status: 0, envelope: CANCELLED };
    const late = deadline.aborted && !mayBeStarting(told);
    return { status: 0, envelope: late ? tooLate(timeoutMs) : unreachable(told, socketPath) };
  }

  return {
    async call(tool, args, cancelled) {
      const path = `/v1/tools/${encodeURIComponent(tool)}`;
      // A token counts only once.
      const harmless = READS.has(tool) && args.confirm === undefined;
      const target: Target = { method: "POST", path, body: JSON.stringify(args), harmless };
      return (await ask(target, cancelled)).envelope;
    },
    async read(path, from, to) {
      const query = `path=${encodeURIComponent(path)}&from=${from}&to=${to}`;
      const target: Target = { method: "GET", path: `/v1/notes?${query}`, harmless: true };
      const { status, envelope } = await ask(target);
      return status === NOT_FOUND ? null : envelope;
    },
  };
}

function mayBeStarting(told: Told | Error): boolean {
  return told instanceof Error
    ? NOBODY_THERE.has(codeOf(told))
    : told.envelope.error?.code === "STARTING";
}

function wasInterrupted(told: Told | Error): boolean {
  return told instanceof Error && INTERRUPTED.has(codeOf(told));
}

/** Whether the time passed without the signal. */
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
  "Ask again if it is still wanted.",
);

function tooLate(timeoutMs: number): Envelope {
  return failure(
    "TIMEOUT",
    `ragd did not answer within ${timeoutMs} ms.`,
    "Try again; `ragctl status` tells what it is busy with.",
    { status: "degraded" },
  );
}

function unreachable(error: Error, socketPath: string): Envelope {
  const code = codeOf(error);
  if (NOBODY_THERE.has(code)) {
    return failure(
      "DAEMON_NOT_RUNNING",
      `ragd, the daemon that searches the notes, is not running (nobody listens at ${socketPath}).`,
      "The user types `ragctl start` in a terminal; the first time, `ragctl index --vault FOLDER`.",
    );
  }
  if (error instanceof NotOurs) {
    const said = `${error.message} The plugin sent nothing to it.`;
    return failure("DAEMON_NOT_OURS", said, error.suggestion, { recoverable: false });
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
    `Talking to ragd at ${socketPath} failed${code && ` (${code})`}.`,
    "The user types `ragctl doctor` in a terminal.",
  );
}

function notRagd(socketPath: string): Envelope {
  return failure(
    "DAEMON_UNREACHABLE",
    `What answers at ${socketPath} is not ragd, or another version of it.`,
    "Set the plugin's socketPath to ragd's socket; `ragctl doctor` names it.",
    { recoverable: false },
  );
}
