/** The package: types, tgz, manifest, and the checks of the plugin registry. */

import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Checks, expect, lineWith } from "./checks.ts";
import { VAULT } from "./example_vault.ts";
import { Gateway } from "./gateway.ts";
import { MEMORY_PLUGIN, PLUGIN, type Ran, ROOT, Sandbox } from "./sandbox.ts";

const OPENCLAW = process.env["OPENCLAW_PACKAGE"] ?? "";

export async function aboutPackage(checks: Checks, sandbox: Sandbox): Promise<void> {
  const openclaw = (...words: string[]) => sandbox.run("openclaw", ...words);

  await checks.item("the code fits OpenClaw's own types", () => typesFit(sandbox));

  await checks.item("npm pack builds the tgz from the sources", async () => {
    const packed = await sandbox.runIn(PLUGIN, "npm", "pack", "--pack-destination", sandbox.folder);
    expect(packed.code === 0, outputOf(packed));
    const unpacked = await sandbox.run("tar", "xzf", tgz(sandbox));
    expect(unpacked.code === 0, outputOf(unpacked));
    return `${tgz(sandbox)}: ${readdirSync(sandbox.path("package")).join(", ")}`;
  });

  const root = ["--root", sandbox.path("package"), "--entry", "./dist/index.js"];

  await checks.item("openclaw plugins validate", async () =>
    lineWith(outputOf(await openclaw("plugins", "validate", ...root)), /is valid/),
  );

  await checks.item("openclaw plugins build --check", async () =>
    lineWith(outputOf(await openclaw("plugins", "build", ...root, "--check")), /up to date/),
  );

  await checks.item("openclaw plugins install of the tgz", async () => {
    const words = [
      "plugins",
      "install",
      join(sandbox.folder, tgz(sandbox)),
      "--force",
      "--accept-capabilities",
    ];
    const installed = await openclaw(...words);
    expect(installed.code === 0, outputOf(installed));
    return lineWith(outputOf(installed), /installed/i);
  });

  await checks.item("openclaw plugins inspect --runtime", async () => {
    const seen = outputOf(await openclaw("plugins", "inspect", "obsidian-rag", "--runtime"));
    for (const part of [
      /Status: loaded/,
      /^ragstatus$/m,
      /^obsidian_rag_search$/m,
      /^obsidian_rag_index$/m,
    ]) {
      expect(part.test(seen), seen);
    }
    expect(/^obsidian_rag_status$/m.test(seen) && /^obsidian_rag_memory_store$/m.test(seen), seen);
    return lineWith(seen, /^Source:/);
  });

  await checks.item("openclaw plugins doctor", async () =>
    lineWith(outputOf(await openclaw("plugins", "doctor")), /checks passed/),
  );
}

/** The commands of docs/openclaw.md, in their order, on a machine without the plugin. */
export async function aboutDocs(checks: Checks): Promise<void> {
  await checks.item("the commands of docs/openclaw.md, in their order", async () => {
    const page = readFileSync(join(ROOT, "docs/openclaw.md"), "utf8");
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map((block) => block[1] ?? "");
    const lines = blocks.join("").trim().split("\n");
    const last = lines.findIndex((line) => line.includes("uninstall"));
    lines.push(...lines.splice(last, 1)); // the page explains the removal before the end
    const newcomer = new Sandbox();
    cpSync(VAULT, newcomer.path("home/Notes"), { recursive: true });
    await Gateway.configured(newcomer, {});
    try {
      for (const line of lines) {
        const done = await newcomer.runIn(ROOT, "bash", "-c", line);
        expect(done.code === 0, `${line}\n${outputOf(done)}`);
      }
    } finally {
      await newcomer.end();
    }
    return lines.join("\n");
  });
}

export async function aboutPublishing(checks: Checks, sandbox: Sandbox): Promise<void> {
  const folder = sandbox.path("package");

  await checks.item("clawhub package validate", async () => {
    mkdirSync(sandbox.path("report"));
    const words = [
      "--openclaw",
      OPENCLAW,
      "--runtime",
      "--allow-execute",
      "--out",
      sandbox.path("report"),
    ];
    const seen = await sandbox.run("clawhub", "package", "validate", folder, ...words);
    expect(seen.code === 0, outputOf(seen));
    return outputOf(seen);
  });

  await checks.item("clawhub package publish --dry-run", async () => {
    const source = [
      "--source-repo",
      "example/ragd",
      "--source-commit",
      "0".repeat(40),
      "--source-ref",
      "main",
    ];
    const words = [
      "--family",
      "code-plugin",
      ...source,
      "--source-path",
      "contrib/openclaw-plugin",
      "--json",
    ];
    const seen = await sandbox.run("clawhub", "package", "publish", folder, "--dry-run", ...words);
    expect(seen.code === 0, outputOf(seen));
    return seen.stdout.replaceAll(/\s+/g, " ").slice(0, 400);
  });
}

/** Compiles the sources with the types of OpenClaw instead of our excerpt of them. */
async function typesFit(sandbox: Sandbox): Promise<string> {
  sandbox.write("tsconfig.json", {
    extends: join(PLUGIN, "tsconfig.json"),
    compilerOptions: {
      noEmit: true,
      rootDir: "/",
      typeRoots: [join(PLUGIN, "node_modules/@types")],
      paths: { "openclaw/plugin-sdk/*": [join(OPENCLAW, "dist/plugin-sdk/*.d.ts")] },
    },
    files: [join(PLUGIN, "src/index.ts"), join(MEMORY_PLUGIN, "src/index.ts")],
    include: [],
  });
  const tsc = join(PLUGIN, "node_modules/.bin/tsc");
  const compiled = await sandbox.run(tsc, "-p", sandbox.path("tsconfig.json"));
  expect(compiled.code === 0, outputOf(compiled));
  return "";
}

function tgz(sandbox: Sandbox): string {
  const name = readdirSync(sandbox.folder).find((one) => one.endsWith(".tgz"));
  expect(name, "there is no tgz");
  return name;
}

function outputOf({ stdout, stderr }: Ran): string {
  return `${stdout}\n${stderr}`.trim();
}
