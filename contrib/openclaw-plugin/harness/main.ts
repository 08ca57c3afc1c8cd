/** Checks the plugin in the real OpenClaw. */

import { existsSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { aboutAgents } from "./agent_turn.ts";
import { Checks, expect, lineWith, waitUntil } from "./checks.ts";
import { aboutCollections } from "./collections.ts";
import { aboutConsent } from "./consent.ts";
import { startDaemon } from "./daemon.ts";
import { Gateway } from "./gateway.ts";
import { aboutMemorySlot } from "./memory_slot.ts";
import { aboutMemoryTools } from "./memory_tools.ts";
import { aboutDocs, aboutPackage, aboutPublishing } from "./package.ts";
import { ROOT, Sandbox } from "./sandbox.ts";
import { aboutSessions } from "./sessions.ts";
import { aboutTools } from "./tool_calls.ts";

async function startGateway(sandbox: Sandbox, gateway: Gateway): Promise<string> {
  await gateway.start();
  const log = () => sandbox.read("gateway.log");
  await waitUntil(async () => log().includes("obsidian-rag is"), 60); // it asks once the gateway is up
  const lines = log().split("\n").filter((line) => line.includes("obsidian-rag is"));
  expect(lines.length === 1, `not one line:\n${log().slice(-2_000)}`);
  return lineWith(log(), /obsidian-rag is healthy/);
}

async function audit(sandbox: Sandbox, gateway: Gateway): Promise<string> {
  const { stdout } = await sandbox.run(
    "openclaw",
    "security",
    "audit",
    "--deep",
    "--json",
    "--token",
    gateway.token,
  );
  const report = JSON.parse(stdout.slice(stdout.indexOf("{"))) as {
    findings: Record<string, unknown>[];
  };
  const ours = report.findings.filter((one) => /obsidian|dist\//i.test(JSON.stringify(one)));
  expect(ours.length === 0, JSON.stringify(ours, null, 2));
  const others = report.findings.map((one) => one["checkId"]).join(", ");
  return `${report.findings.length} findings, none of ours: ${others}`;
}

/** Files that must not change: the checkout, and the user's own OpenClaw. */
async function surroundings(sandbox: Sandbox): Promise<string> {
  const { stdout } = await sandbox.runIn(ROOT, "git", "status", "--porcelain");
  return `${stdout}own OpenClaw: ${existsSync(join(homedir(), ".openclaw"))}`;
}

const checks = new Checks();
const sandbox = new Sandbox();
const before = await surroundings(sandbox);
const theirs = ["/tmp/openclaw", `/tmp/openclaw-state-locks-${process.getuid?.()}`]; // independent of TMPDIR
const fresh = theirs.filter((path) => !existsSync(path));
const tidyUp = async () => {
  await sandbox.end();
  for (const path of fresh) rmSync(path, { recursive: true, force: true });
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void tidyUp().finally(() => process.exit(130)));
}
try {
  const gateway = await Gateway.configured(sandbox);
  await checks.item("a real ragd indexes the example vault with the embedded model", () =>
    startDaemon(sandbox),
  );
  await aboutPackage(checks, sandbox);
  await aboutDocs(checks);
  await checks.item("the gateway starts, and the plugin logs one line", () =>
    startGateway(sandbox, gateway),
  );
  await aboutTools(checks, sandbox, gateway);
  await aboutConsent(checks, sandbox, gateway);
  await aboutCollections(checks, sandbox, gateway);
  await aboutAgents(checks, sandbox, gateway);
  await aboutMemoryTools(checks, sandbox, gateway);
  await aboutSessions(checks, sandbox, gateway);
  await checks.item("security audit --deep has no finding of ours", () => audit(sandbox, gateway));
  await aboutPublishing(checks, sandbox);
  await aboutMemorySlot(checks);
  await checks.item("the checkout and the user's own OpenClaw are as before", async () => {
    const after = await surroundings(sandbox);
    expect(after === before, after);
    return "";
  });
} finally {
  await tidyUp();
}
process.exit(checks.end());
