// A daemon and its page in a temporary folder: the vault, the processes, and calls of the socket.
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const PYTHON = process.env.PYTHON ?? path.join(REPOSITORY, ".venv", "bin", "python");
const WITHIN_MS = 240_000;
const WATCH = { debounce_s: 0.1, collect_s: 0, rescan_s: 86_400 };

// Without vectors: a search by words costs the same, and nothing has to be embedded.
export const TEXT_ONLY = { provider: "ollama", base_url: "http://127.0.0.1:1" };
export const EMBEDDED = { provider: "embedded" };

export class Stage {
  // `fill(vault)` writes the notes. `settings` are keys of config.json.
  static async begin(fill, settings = {}) {
    const stage = new Stage();
    stage.folder = await mkdtemp(path.join(tmpdir(), "ragd-page-"));
    stage.vault = path.join(stage.folder, "Notes");
    stage.home = path.join(stage.folder, "h");
    await mkdir(stage.vault);
    await mkdir(stage.home, { mode: 0o700 });
    await stage.configure(settings);
    await fill(stage.vault);
    try {
      await stage.start();
    } catch (why) {
      await stage.end();
      throw why;
    }
    return stage;
  }

  get environment() {
    const ours = { PYTHONPATH: REPOSITORY, OBSIDIAN_RAG_HOME: this.home, PYTHONDONTWRITEBYTECODE: "1" };
    return { ...process.env, ...ours };
  }

  configure(settings) {
    this.settings = { ...this.settings, ...settings };
    const config = { vault_path: this.vault, watch: WATCH, ...this.settings };
    return writeFile(path.join(this.home, "config.json"), JSON.stringify(config));
  }

  async start() {
    await this.ragctl("start");
    await this.ragctl("index", "--json").catch((why) => {
      if (!why.stdout?.includes('"type":"complete"')) throw why; // without vectors it exits with 1
    });
    await this.serve();
    return this;
  }

  // Start the bridge. Each one has another address, also on the same port.
  async serve(port = 0) {
    this.bridge = spawn(PYTHON, ["-m", "ragctl", "serve", "--port", String(port)], {
      env: this.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.address = await firstLine(this.bridge);
  }

  get port() {
    return Number(new URL(this.address).port);
  }

  async endBridge() {
    if (!this.bridge || this.bridge.exitCode !== null) return;
    const ended = new Promise((resolve) => this.bridge.once("exit", resolve));
    this.bridge.kill("SIGTERM");
    await ended;
  }

  async ragctl(...words) {
    const done = await promisify(execFile)(PYTHON, ["-m", "ragctl", ...words], {
      env: this.environment,
      timeout: WITHIN_MS,
      maxBuffer: 1 << 28,
    });
    return done.stdout;
  }

  // A link that signs a browser in, and leads to a view.
  async link(...view) {
    return (await this.ragctl("open", "--print", ...view)).trim();
  }

  // A call of the daemon's socket, as `ragctl` or, with headers, as an agent.
  ask(method, target, body, headers = {}) {
    return new Promise((resolve, reject) => {
      const socketPath = path.join(this.home, "ragd.sock");
      const sent = { "Content-Type": "application/json", ...headers };
      const request = http.request({ socketPath, method, path: target, headers: sent }, async (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        for await (const part of answer) text += part;
        resolve(JSON.parse(text));
      });
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  search(query, more = {}, headers = {}) {
    return this.ask("POST", "/v1/tools/obsidian_rag_search", { query, ...more }, headers);
  }

  async end() {
    await this.endBridge();
    await this.ragctl("stop").catch(() => {});
    await rm(this.folder, { recursive: true, force: true });
  }
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => reject(new Error(`ragctl serve ended with ${code}`)));
  });
}

export const exampleVault = (vault) => cp(path.join(REPOSITORY, "examples", "vault"), vault, { recursive: true });

export async function writeNote(vault, name, text) {
  const file = path.join(vault, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

// Notes of made-up words, the same ones each time.
export async function manyNotes(vault, count) {
  let seed = 12345;
  const next = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  const sounds = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split(" ");
  const vocabulary = Array.from({ length: 4000 }, (_, at) => [at % 30, Math.floor(at / 30) % 30, at % 7].map((one) => sounds[one]).join(""));
  const words = (many) => Array.from({ length: many }, () => vocabulary[next(vocabulary.length)]).join(" ");
  for (let number = 0; number < count; number++) {
    const folder = `Area ${number % 12}/Topic ${number % 60}`;
    await writeNote(vault, `${folder}/Note ${number}.md`, `# Note ${number}\n\n${words(60)}\n\n## More\n\n${words(60)}\n`);
  }
  return { vocabulary };
}
