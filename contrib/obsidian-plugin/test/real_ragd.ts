/** A real daemon over a small vault, in a temporary folder. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve("../..");
const PYTHON = process.env["RAGD_PYTHON"] ?? join(ROOT, ".venv/bin/python");

/** Why there can be no daemon here; false if there can. */
export const withoutRagd: string | false = existsSync(PYTHON)
  ? false
  : "ragd is not installed here: run `make install`";

export class RealRagd {
  readonly folder = mkdtempSync("/tmp/rp");
  readonly vault = join(this.folder, "vault");
  readonly home = join(this.folder, "h");
  readonly socket = join(this.home, "ragd.sock");

  constructor(notes: Record<string, string>, config: Record<string, unknown> = {}) {
    for (const [path, text] of Object.entries(notes)) this.write(path, text);
    mkdirSync(this.home, { mode: 0o700 });
    const settings = { vault_path: this.vault, embedding: { provider: "embedded" }, ...config };
    writeFileSync(join(this.home, "config.json"), JSON.stringify(settings));
    this.ragctl("index");
  }

  write(path: string, text: string): void {
    const place = join(this.vault, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }

  ragctl(...args: string[]): string {
    const env = { ...process.env, OBSIDIAN_RAG_HOME: this.home, PYTHONPATH: ROOT };
    const options = { env, encoding: "utf8", stdio: "pipe", timeout: 240_000 } as const;
    return execFileSync(PYTHON, ["-m", "ragctl", ...args], options);
  }

  end(): void {
    try {
      this.ragctl("stop");
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}
