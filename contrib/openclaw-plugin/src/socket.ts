/** One HTTP exchange over this user's Unix socket or named pipe. It never uses a network. */

import { request } from "node:http";

import { requireOwnSocket } from "./owner.js";

export interface HttpRequest {
  socketPath: string;
  method: "GET" | "POST";
  path: string;
  body?: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  body: string;
}

/** More than any answer of ragd. */
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;

/** The answer with any status; rejects if there is none. */
export async function exchange(ask: HttpRequest): Promise<HttpAnswer> {
  ask.signal.throwIfAborted();
  await requireOwnSocket(ask.socketPath);
  return send(ask);
}

function send(ask: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: ask.socketPath,
        method: ask.method,
        path: ask.path,
        signal: ask.signal,
        agent: false,
        headers: {
          host: "ragd",
          ...ask.headers,
          ...(ask.body === undefined
            ? {}
            : {
                "content-type": "application/json",
                "content-length": Buffer.byteLength(ask.body),
              }),
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        let size = 0;
        answer.on("data", (part: Buffer) => {
          size += part.length;
          if (size > ANSWER_MAX_BYTES) sent.destroy(new Error("the answer is too long"));
          else parts.push(part);
        });
        answer.on("end", () => {
          const body = Buffer.concat(parts).toString("utf8");
          resolve({ status: answer.statusCode ?? 0, body });
        });
        answer.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(ask.body);
  });
}
