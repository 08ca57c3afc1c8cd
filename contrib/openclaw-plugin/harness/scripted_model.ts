/** A scripted model with OpenAI's chat completions API on loopback: it calls its tools one after the other, then
 * answers from the last result. Without an answer from a note it returns the result itself. */

import { createServer, type Server, type ServerResponse } from "node:http";

interface Message {
  role: string;
  content: unknown;
}

export interface Request {
  messages: Message[];
  tools?: { function: { name: string; description: string; parameters: unknown } }[];
  stream?: boolean;
}

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

export class ScriptedModel {
  readonly requests: Request[] = [];
  /** The size of the conversation, as the model reports it. */
  promptTokens = 1;
  readonly #server: Server;

  constructor(...calls: Call[]) {
    this.#server = createServer((incoming, response) => {
      const parts: Buffer[] = [];
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("end", () => {
        const request = JSON.parse(String(Buffer.concat(parts)) || "{}") as Request;
        this.requests.push(request);
        reply(response, request, nextStep(request, calls), this.promptTokens);
      });
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, "127.0.0.1", () => resolve()));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The system prompt. */
  get systemPrompt(): string {
    const first = this.requests[0]?.messages ?? [];
    return first
      .filter(({ role }) => role !== "user")
      .map(({ content }) => textOf(content))
      .join("\n");
  }

  get toolNames(): string[] {
    return (this.requests[0]?.tools ?? []).map((tool) => tool.function.name);
  }
}

type Delta = Record<string, unknown>;

/** What a turn that saves memories before a compaction is asked. */
const SAVE = /Call write with the path (memory\/[\d-]+\.md)/;
export const SAVED = "The user prefers the night train.";

function nextStep({ messages }: Request, calls: readonly Call[]): Delta {
  const lastUser = messages.findLastIndex(
    ({ role, content }) => role === "user" && !textOf(content).includes("OPENCLAW_INTERNAL"),
  );
  const results = messages.slice(lastUser).filter(({ role }) => role === "tool");
  const path = SAVE.exec(textOf(messages[lastUser]?.content))?.[1];
  const steps = path ? [{ name: "write", arguments: { path, content: SAVED } }] : calls;
  const call = steps[results.length];
  if (!call) {
    const told = textOf(results.at(-1)?.content);
    return { role: "assistant", content: path ? "NO_REPLY" : results.length ? answerFrom(told) : "All right." };
  }
  const wanted = { name: call.name, arguments: JSON.stringify(call.arguments) };
  return {
    role: "assistant",
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: wanted }],
  };
}

/** The best passage and its citation, from between the fences. */
function answerFrom(told: string): string {
  const inside = /<<<NOTES (\w+)>>>\n(.*)\n<<<END NOTES \1>>>/s.exec(told)?.[2];
  const [best] = (inside && JSON.parse(inside).data.results) || [];
  return best ? `Your notes say: ${best.chunk_text} [Source: ${best.citation}]` : `I got: ${told}`;
}

function reply(response: ServerResponse, request: Request, delta: Delta, promptTokens: number): void {
  const finish = "tool_calls" in delta ? "tool_calls" : "stop";
  const usage = { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 };
  const head = { id: "c1", created: 0, model: "mock-1" };
  if (!request.stream) {
    const choices = [{ index: 0, message: delta, finish_reason: finish }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  for (const choice of [
    { delta, finish_reason: null },
    { delta: {}, finish_reason: finish },
  ]) {
    const chunk = { ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end(
    `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`,
  );
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => String(part?.text ?? "")).join("\n") : "";
}
