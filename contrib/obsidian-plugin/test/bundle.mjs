// Builds each test with the plugin's sources; `obsidian` is the published mock of it.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

rmSync(".build", { recursive: true, force: true });
const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: ".build",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  alias: { obsidian: "obsidian-test-mocks/obsidian" },
  logLevel: "warning",
});
