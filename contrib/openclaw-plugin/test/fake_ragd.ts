/** A fake ragd on a real socket: gives scripted answers and records the requests. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Envelope, Failure, Health } from "../src/envelope.js";

export interface Asked {
  path: string;
  body: Record<string, unknown>;
  /** The headers about the asker: agent, chat; undefined if they are not sent. */
  asker: (string | undefined)[];
}

/** An answer, or one with another HTTP status than 200; null: no answer. */
export type Reply = (asked: Asked) => Envelope | string | null | [number, Envelope];

export class FakeRagd {
  readonly folder = mkdtempSync(join(tmpdir(), "rag-"));
  readonly socketPath = join(this.folder, "ragd.sock");
  readonly asked: Asked[] = [];
  #server: Server | undefined;

  readonly #reply: Reply;

  constructor(reply: Reply) {
    this.#reply = reply;
  }

  async listen(): Promise<this> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = String(Buffer.concat(parts)) || "{}";
        const { "x-ragd-agent": agent, "x-ragd-chat": chat } = request.headers;
        const asker = [agent, chat].map((value) => value?.toString());
        const asked = { path: request.url ?? "", body: JSON.parse(body), asker };
        this.asked.push(asked);
        const reply = this.#reply(asked);
        if (reply === null) return;
        if (reply === "hang up") {
          request.socket.destroy();
          return;
        }
        const [status, answer] = Array.isArray(reply) ? reply : [200, reply];
        response.statusCode = status;
        response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => this.#server?.listen(this.socketPath, resolve));
    chmodSync(this.socketPath, 0o600); // as in ragd
    return this;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) =>
      this.#server ? this.#server.close(() => resolve()) : resolve(),
    );
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function envelope(
  data: Record<string, unknown> | null,
  { status = "healthy", error = null }: { status?: Health; error?: Failure | null } = {},
): Envelope {
  const meta = { query_time_ms: 3, chunks_scanned: 18, index_version: "G.1", vault_mtime: null };
  return { status, data, error, meta };
}

export function trouble(code: string): Failure {
  return { code, message: `It is ${code}.`, recoverable: true, suggestion: "Do that." };
}

export function passage(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    chunk_text: "I still owe Sreenivas $70.",
    score: 0.81,
    source_file: "Journal/2024-03-09.md",
    section: "#finance",
    date: "2024-03-09",
    tags: ["#finance"],
    chunk_index: 2,
    title: "2024-03-09",
    heading_path: "Saturday > #finance",
    start_line: 9,
    end_line: 10,
    citation: "Journal/2024-03-09.md#L9-L10",
    link: "obsidian://open?vault=v&file=Journal",
    trust: "untrusted-note",
    injection_suspected: false,
    sensitive: [],
    stale: false,
    unverified: false,
    ...fields,
  };
}

export function found(
  results: Record<string, unknown>[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return { results, sensitive_detected: false, memory_suggestion: null, memories: [], ...fields };
}
