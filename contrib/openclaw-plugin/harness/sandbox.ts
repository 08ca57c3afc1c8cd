/** A folder for all files and processes of a run. Removed at the end. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ROOT = process.env["RAGD_ROOT"] ?? "";
export const PLUGIN = join(ROOT, "contrib/openclaw-plugin");
export const MEMORY_PLUGIN = join(ROOT, "contrib/openclaw-memory");

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export class Sandbox {
  readonly folder = mkdtempSync(join(tmpdir(), "openclaw-"));
  readonly env: Record<string, string>;
  readonly #running: ChildProcess[] = [];

  constructor() {
    for (const name of ["home", "state", "tmp"]) mkdirSync(this.path(name), { mode: 0o700 });
    this.env = {
      PATH: `${join(ROOT, ".venv/bin")}:${process.env["PATH"] ?? ""}`, // the skill requires ragctl
      HOME: this.path("home"),
      TMPDIR: this.path("tmp"),
      NO_COLOR: "1",
      OPENCLAW_HOME: this.path("home"),
      OPENCLAW_STATE_DIR: this.path("state"),
      OPENCLAW_CONFIG_PATH: this.path("state/openclaw.json"),
      OPENCLAW_OFFLINE: "1",
      OPENCLAW_NO_AUTO_UPDATE: "1",
      OPENCLAW_SKIP_CHANNELS: "1",
      OPENCLAW_SKIP_CRON: "1",
      OPENCLAW_DISABLE_BONJOUR: "1",
      PYTHONPATH: ROOT,
    };
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  write(name: string, value: unknown): void {
    writeFileSync(this.path(name), JSON.stringify(value, null, 2), { mode: 0o600 });
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Runs a command to its end. */
  run(command: string, ...words: string[]): Promise<Ran> {
    return this.runIn(this.folder, command, ...words);
  }

  runIn(cwd: string, command: string, ...words: string[]): Promise<Ran> {
    return new Promise((resolve) => {
      const options = { cwd, env: this.env, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 };
      execFile(command, words, options, (error, stdout, stderr) => {
        const code = error ? (typeof error.code === "number" ? error.code : 1) : 0;
        resolve({ code, stdout, stderr });
      });
    });
  }

  /** Starts a process that keeps running, with its output in a file. */
  start(log: string, command: string, ...words: string[]): ChildProcess {
    const output = openSync(this.path(log), "a");
    const options = {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", output, output] as ("ignore" | number)[],
    };
    const child = spawn(command, words, options);
    this.#running.push(child);
    return child;
  }

  ragctl(...words: string[]): Promise<Ran> {
    return this.run(join(ROOT, ".venv/bin/python"), "-m", "ragctl", ...words);
  }

  async end(): Promise<void> {
    await this.ragctl("stop");
    await Promise.all(this.#running.map(stop));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await gone;
  clearTimeout(late);
}

/** A free port on loopback, below the range that the system gives to clients. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
