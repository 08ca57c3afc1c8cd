/** OpenClaw's gateway in a sandbox: its configuration, starting it, calling tools through it. */

import { randomBytes } from "node:crypto";

import { waitUntil } from "./checks.ts";
import { freePort, type Sandbox } from "./sandbox.ts";

const PLUGIN_CONFIG = {
  socketPath: "~/.obsidian-rag/ragd.sock",
  timeoutMs: 60_000, // long, because speed is not tested
};
const WITH_PLUGIN = {
  allow: ["obsidian-rag", "memory-core"],
  entries: { "obsidian-rag": { enabled: true, config: PLUGIN_CONFIG } },
};

export interface Invoked {
  text: string;
  details: Record<string, unknown>;
}

export class Gateway {
  readonly #sandbox: Sandbox;
  readonly port: number;
  readonly modelPort: number;
  readonly token = randomBytes(24).toString("hex");

  private constructor(sandbox: Sandbox, port: number, modelPort: number) {
    this.#sandbox = sandbox;
    this.port = port;
    this.modelPort = modelPort;
  }

  /** Writes the whole configuration; nothing runs yet. */
  static async configured(
    sandbox: Sandbox,
    plugins: object = WITH_PLUGIN,
    defaults: object = {},
  ): Promise<Gateway> {
    const gateway = new Gateway(sandbox, await freePort(), await freePort());
    sandbox.write("state/openclaw.json", {
      gateway: {
        mode: "local",
        bind: "loopback",
        port: gateway.port,
        auth: { mode: "token", token: gateway.token },
      },
      agents: { defaults: { model: { primary: "mock/mock-1" }, skipBootstrap: true, ...defaults } },
      models: {
        catalogRefresh: { enabled: false },
        providers: {
          mock: {
            api: "openai-completions",
            baseUrl: `http://127.0.0.1:${gateway.modelPort}/v1`,
            apiKey: "none",
            models: [{ id: "mock-1", name: "mock-1" }],
          },
        },
      },
      tools: { profile: "coding" },
      memory: { search: { provider: "none" } },
      update: { checkOnStart: false },
      logging: { file: sandbox.path("openclaw.log") },
      plugins,
    });
    return gateway;
  }

  async start(): Promise<void> {
    const process = this.#sandbox.start("gateway.log", "openclaw", "gateway", "run");
    const isReady = async () => {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => null);
      return answer?.ok === true;
    };
    await waitUntil(async () => process.exitCode !== null || (await isReady()), 240);
    if (await isReady()) return;
    throw new Error(
      `the gateway did not get ready:\n${this.#sandbox.read("gateway.log").slice(-2_000)}`,
    );
  }

  /** A tool over HTTP. */
  async invoke(tool: string, args: unknown, more: Record<string, unknown> = {}): Promise<Invoked> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/tools/invoke`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: JSON.stringify({ tool, args, ...more }),
    });
    const body = (await answer.json()) as { ok: boolean; result?: unknown };
    if (!body.ok) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    return invoked(body.result);
  }

  /** A tool over the gateway's RPC. */
  async call(tool: string, args: unknown): Promise<Invoked> {
    const body = await this.rpc("tools.invoke", { name: tool, args });
    if (body["ok"] !== true) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    return invoked(body["output"]);
  }

  async rpc(method: string, params: unknown): Promise<Record<string, unknown>> {
    const words = [
      "gateway",
      "call",
      method,
      "--token",
      this.token,
      "--params",
      JSON.stringify(params),
      "--json",
    ];
    const { stdout, stderr } = await this.#sandbox.run("openclaw", ...words);
    const start = stdout.indexOf("{");
    if (start < 0) throw new Error(`${method}: ${stdout}${stderr}`);
    return JSON.parse(stdout.slice(start)) as Record<string, unknown>;
  }
}

function invoked(result: unknown): Invoked {
  const { content, details } = result as {
    content: { text: string }[];
    details: Record<string, unknown>;
  };
  return { text: content.map(({ text }) => text).join("\n"), details };
}
