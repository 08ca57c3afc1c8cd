/** A user who is connected to the gateway, chats and answers its questions, as the dashboard or an app would. */

import { waitUntil } from "./checks.ts";
import type { Gateway } from "./gateway.ts";

export interface Question {
  id: string;
  request: { title: string; description: string };
}

type Frame = Record<string, unknown>;

export class ApprovingUser {
  readonly questions: Question[] = [];
  readonly #socket: WebSocket;
  readonly #answers = new Map<string, (frame: Frame) => void>();
  #sent = 0;

  private constructor(port: number) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}`);
    this.#socket.addEventListener("message", ({ data }) => this.#read(JSON.parse(String(data))));
  }

  static async connected(gateway: Gateway): Promise<ApprovingUser> {
    const user = new ApprovingUser(gateway.port);
    await new Promise((resolve) => user.#socket.addEventListener("open", resolve, { once: true }));
    const answer = await user.#call("connect", {
      minProtocol: 4,
      maxProtocol: 4,
      client: { id: "gateway-client", version: "1", platform: "linux", mode: "backend" },
      role: "operator",
      scopes: ["operator.read", "operator.write", "operator.approvals", "operator.admin"],
      caps: ["approvals"],
      auth: { token: gateway.token },
    });
    if (answer["ok"] !== true) throw new Error(`not connected: ${JSON.stringify(answer)}`);
    return user;
  }

  /** Waits for one more question, and answers it. */
  async decide(decision: string): Promise<Question> {
    await waitUntil(async () => this.questions.length > 0, 60);
    const question = this.questions.shift();
    if (!question) throw new Error("OpenClaw did not ask");
    const answer = await this.#call("plugin.approval.resolve", { id: question.id, decision });
    if (answer["ok"] !== true) throw new Error(JSON.stringify(answer));
    return question;
  }

  /** Types a message in a chat. */
  async say(sessionKey: string, message: string): Promise<void> {
    const answer = await this.#call("chat.send", { sessionKey, message, idempotencyKey: `said-${this.#sent}` });
    if (answer["ok"] !== true) throw new Error(JSON.stringify(answer));
  }

  /** What was said in a chat, as JSON. */
  async history(sessionKey: string): Promise<string> {
    return JSON.stringify((await this.#call("chat.history", { sessionKey }))["payload"]);
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object): Promise<Frame> {
    const id = `${++this.#sent}`;
    const answered = new Promise<Frame>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ type: "req", id, method, params }));
    return answered;
  }

  #read(frame: Frame): void {
    if (frame["type"] === "res") this.#answers.get(String(frame["id"]))?.(frame);
    if (frame["event"] === "plugin.approval.requested") this.questions.push(frame["payload"] as Question);
  }
}
