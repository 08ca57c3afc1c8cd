/** A real ragd in a sandbox, with an index of the example vault. */

import { cpSync } from "node:fs";

import { expect, lineWith } from "./checks.ts";
import { VAULT } from "./example_vault.ts";
import type { Sandbox } from "./sandbox.ts";

export async function startDaemon(sandbox: Sandbox): Promise<string> {
  cpSync(VAULT, sandbox.path("vault"), { recursive: true });
  for (const words of [
    ["init", sandbox.path("vault")],
    ["config", "set", "embedding.provider", "embedded"],
    ["index"],
  ]) {
    const { code, stdout, stderr } = await sandbox.ragctl(...words);
    expect(code === 0, `ragctl ${words.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    if (words[0] === "index") return lineWith(stdout, /"complete"/);
  }
  return "";
}
