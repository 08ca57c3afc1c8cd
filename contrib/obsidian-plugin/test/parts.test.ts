/** The parts that need neither Obsidian nor a daemon. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { passages, relatedNotes, statusOf } from "../src/answers.js";
import { isDenied } from "../src/folder_menu.js";
import { suggestions } from "../src/search_modal.js";
import { readSettings } from "../src/settings.js";
import { statusText } from "../src/status_text.js";
import { pathInVault, pathPrefix } from "../src/vault_paths.js";

const NOW = new Date("2026-11-15T14:30:00Z");
const STATUS = statusOf({
  plugin_health: "healthy",
  total_docs: 68,
  last_sync: "2026-11-15T14:28:00Z",
  vault: { path: "/notes" },
  collections: [
    { name: "vault", path: "/notes" },
    { name: "papers", path: "/papers" },
  ],
});

it("reads answers of any shape", () => {
  assert.deepEqual(relatedNotes({}), []);
  assert.deepEqual(relatedNotes({ related: [null, 3, { path: "a.md" }] }), [
    { path: "a.md", title: "a.md", why: [] },
  ]);
  const [one] = passages({ results: [{ source_file: "a.md", start_line: "x", tags: 3 }] });
  assert.deepEqual([one?.path, one?.line, one?.text], ["a.md", 1, ""]);
  assert.equal(statusOf({}).health, "");
});

it("says in the status bar what matters most", () => {
  const text = (more: object): string => statusText({ ...STATUS, ...more }, NOW).short;
  assert.equal(text({}), "Ragd: up to date");
  assert.equal(text({ waiting: 3 }), "Ragd: 3 waiting");
  assert.equal(text({ job: { mode: "full", progress: 0.456 } }), "Ragd: indexing 45 %");
  assert.equal(text({ isPaused: true }), "Ragd: paused");
  assert.equal(text({ health: "degraded" }), "Ragd: needs attention");
  assert.equal(text({ health: "unavailable", waiting: 3 }), "Ragd: unavailable");
  const long = statusText({ ...STATUS, reasons: ["Ollama is down."] }, NOW).long;
  assert.equal(long, "68 notes in the index, synced 2 min ago.\nOllama is down.");
});

it("knows how ragd names the notes of the open vault", () => {
  assert.equal(pathPrefix("/notes/", STATUS), "");
  assert.equal(pathPrefix("/papers", STATUS), "@papers/");
  assert.equal(pathPrefix("/elsewhere", STATUS), null);
  assert.equal(pathInVault("@papers/a.md", "@papers/"), "a.md");
  assert.equal(pathInVault("a.md", "@papers/"), null);
  assert.equal(pathInVault("@papers/a.md", ""), "@papers/a.md");
  const folder = mkdtempSync("/tmp/rp");
  try {
    symlinkSync(folder, join(folder, "link"));
    assert.equal(pathPrefix(join(folder, "link"), { ...STATUS, vault: folder }), "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("knows the folders that are denied", () => {
  assert.ok(isDenied("Private", [".obsidian", "private"]));
  assert.ok(isDenied("Odd [1]", ["Odd [[]1]"]));
  assert.ok(!isDenied("Private", ["Private/Deep", "*"]));
});

it("introduces passages that do not answer, and says if nothing was found", () => {
  const [passage] = passages({ results: [{ source_file: "a.md" }] });
  assert.ok(passage);
  const answer = { passages: [passage], isAnswered: false, withheld: 0, confirm: null };
  const kinds = suggestions({ ...answer, warning: "Late." }).map((one) => one.kind);
  assert.deepEqual(kinds, ["message", "passage", "message"]);
  const nothing = suggestions({ ...answer, passages: [], warning: null });
  assert.deepEqual(nothing, [{ kind: "message", message: "Nothing found." }]);
});

it("reads settings of any shape", () => {
  for (const data of [null, undefined, 3, [], { socketPath: 3 }]) {
    assert.deepEqual(readSettings(data), { socketPath: "" });
  }
  assert.deepEqual(readSettings({ socketPath: "/x" }), { socketPath: "/x" });
});

it("follows Obsidian's rules for manifests", () => {
  const manifest = JSON.parse(readFileSync("manifest.json", "utf8")) as Record<string, unknown>;
  const versions = JSON.parse(readFileSync("versions.json", "utf8")) as Record<string, unknown>;
  const about = String(manifest["description"]);
  assert.ok(about.length <= 250 && about.endsWith("."));
  assert.equal(manifest["isDesktopOnly"], true);
  assert.equal(versions[String(manifest["version"])], manifest["minAppVersion"]);
  const own = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>;
  assert.equal(own["version"], manifest["version"]);
  assert.equal(own["dependencies"], undefined);
});

it("is one file that uses Obsidian and Node only, and no network", () => {
  const bundle = readFileSync("dist/main.js", "utf8");
  const used = [...bundle.matchAll(/require\("([^"]+)"\)/g)].map((found) => found[1] ?? "");
  assert.ok(used.includes("obsidian") && used.includes("node:http"));
  assert.deepEqual(
    used.filter((name) => name !== "obsidian" && !name.startsWith("node:")),
    [],
  );
  for (const word of ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch(", "://"]) {
    assert.ok(!bundle.includes(word), word);
  }
  assert.ok(!used.some((name) => /^node:(child_process|https|net|tls|dgram)$/.test(name)));
});
