/** Asks ragd. Whatever happens, the answer is an envelope: no exception leaves this module. */

import { type Envelope, failure, parseEnvelope } from "./envelope.js";
import { type Ask, exchange } from "./socket.js";

export interface Client {
  /** One of the four tools. */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Envelope>;
}

export interface ClientOptions {
  socketPath: string;
  timeoutMs: number;
  /** How long to wait before the one retry: nobody listens (yet), or the index is being opened. */
  retryAfterMs?: { absent: number; starting: number };
  exchange?: (ask: Ask) => Promise<string>;
}

/** Nobody took the request in these cases, so that asking again cannot do a thing twice. */
const NOBODY_THERE = new Set(["ENOENT", "ECONNREFUSED"]);

export function createClient(options: ClientOptions): Client {
  const { socketPath, timeoutMs, retryAfterMs = { absent: 700, starting: 2_000 } } = options;
  const send = options.exchange ?? exchange;

  async function once(path: string, body: string, signal: AbortSignal): Promise<Envelope | Error> {
    try {
      const answer = await send({ socketPath, method: "POST", path, body, signal });
      return parseEnvelope(answer) ?? notRagd(socketPath);
    } catch (reason) {
      return reason instanceof Error ? reason : new Error(String(reason));
    }
  }

  async function call(
    tool: string,
    args: Record<string, unknown>,
    cancelled?: AbortSignal,
  ): Promise<Envelope> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = cancelled ? AbortSignal.any([cancelled, deadline]) : deadline;
    const path = `/v1/tools/${encodeURIComponent(tool)}`;
    const body = JSON.stringify(args);
    let answer = await once(path, body, signal);
    const wait = answer instanceof Error ? retryAfterMs.absent : retryAfterMs.starting;
    if (mayBeStarting(answer) && (await pause(wait, signal)))
      answer = await once(path, body, signal);
    if (!(answer instanceof Error)) return answer;
    if (cancelled?.aborted) return CANCELLED;
    const late = deadline.aborted && !mayBeStarting(answer);
    return late ? tooLate(timeoutMs) : unreachable(answer, socketPath);
  }

  return { call };
}

function mayBeStarting(answer: Envelope | Error): boolean {
  return answer instanceof Error
    ? NOBODY_THERE.has(codeOf(answer))
    : answer.error?.code === "STARTING";
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
