// Bundles the plugin into the files that Obsidian loads: dist/main.js, manifest.json, styles.css.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
await build({
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.js",
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "es2022",
  external: ["obsidian", "electron"],
  logLevel: "warning",
});
for (const name of ["manifest.json", "styles.css"]) copyFileSync(name, `dist/${name}`);
