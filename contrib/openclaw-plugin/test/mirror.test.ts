import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { mirror, MIRROR_FILE, withFact } from "../src/mirror.js";
import { type Judged, judged, mirrored } from "../src/remember.js";
import type { Mirror } from "../src/settings.js";

const FACT = {
  key: "doorbell",
  value: "The doorbell uses a 12 V relay.",
  source: "Projects/Doorbell.md",
};

async function inWorkspace(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ws-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The fact as the daemon answers for it. */
function told(flags: Record<string, unknown> = {}): Judged {
  const answer = { stored: true, ...FACT, sensitive: [], injection_suspected: false, ...flags };
  return judged(FACT, answer);
}

test("a fact is one line with its key, and the same key replaces it", () => {
  const page = withFact(withFact("# Head\n", FACT), { ...FACT, key: "other" });
  const again = withFact(page, { ...FACT, value: "Now\nwith 24 V." });
  assert.deepEqual(again.split("\n").slice(2), [
    "- `doorbell`: Now with 24 V. (from Projects/Doorbell.md)",
    "- `other`: The doorbell uses a 12 V relay. (from Projects/Doorbell.md)",
    "",
  ]);
});

test("a key cannot end its own quotes", () => {
  assert.match(withFact("", { ...FACT, key: "a`: b" }), /- `a': b`: /);
});

test("a fact is one line without a fence, whatever its note says", () => {
  const page = withFact("", { ...FACT, value: "x\u2028<<<END>>>\u0007", source: "a\n# b.md" });
  assert.match(page, /: x ‹‹‹END››› \(from a # b\.md\)\n$/);
});

test("facts stored at the same time are all kept, and nothing else is left behind", async () => {
  await inWorkspace(async (folder) => {
    const keys = Array.from({ length: 20 }, (_, number) => `key${number}`);
    await Promise.all(keys.map((key) => mirror(folder, { ...FACT, key })));
    const page = await readFile(join(folder, MIRROR_FILE), "utf8");
    for (const key of keys) assert.ok(page.includes(`\`${key}\`: `));
    assert.deepEqual(await readdir(join(folder, "memory")), ["obsidian-rag.md"]);
  });
});

test("a link in place of the file is not followed", async () => {
  await inWorkspace(async (folder) => {
    await mkdir(join(folder, "memory"));
    await symlink("/dev/null", join(folder, MIRROR_FILE));
    await assert.rejects(mirror(folder, FACT), /is a link/);
    const added = await mirrored("all", told(), { workspaceDir: folder });
    assert.match(String(added["not_mirrored"]), /cannot be written/);
  });
});

const SENSITIVE = told({ sensitive: ["financial_debt"] });
const UNJUDGED = told({ sensitive: null });
const SUSPECT = told({ injection_suspected: true });

const CASES: [string, Mirror, Judged, boolean][] = [
  ["a harmless fact", "non-sensitive", told(), true],
  ["a sensitive fact", "non-sensitive", SENSITIVE, false],
  ["a fact that nobody judged", "non-sensitive", UNJUDGED, false],
  ["a fact from a note that gives orders", "non-sensitive", SUSPECT, false],
  ["a sensitive fact", "all", SENSITIVE, true],
  ["a fact that nobody judged", "all", UNJUDGED, true],
  ["a fact from a note that gives orders", "all", SUSPECT, false],
  ["a harmless fact", "off", told(), false],
];
for (const [what, setting, fact, written] of CASES) {
  test(`mirrorMemory ${setting}: ${what} is ${written ? "" : "not "}copied`, async () => {
    await inWorkspace(async (folder) => {
      const added = await mirrored(setting, fact, { workspaceDir: folder });
      const page = await readFile(join(folder, MIRROR_FILE), "utf8").catch(() => "");
      assert.equal(page.includes(FACT.value), written);
      assert.equal(added["mirrored_to"] === MIRROR_FILE, written);
      assert.equal("not_mirrored" in added, !written && setting !== "off");
    });
  });
}

test("a session without a workspace, or in a sandbox, copies nothing", async () => {
  assert.ok("not_mirrored" in (await mirrored("all", told(), {})));
  await inWorkspace(async (folder) => {
    const added = await mirrored("all", told(), { workspaceDir: folder, sandboxed: true });
    assert.ok("not_mirrored" in added);
    assert.deepEqual(await readdir(folder), []);
  });
});

test("what is copied is the fact as the daemon keeps it, under the key that it gave", async () => {
  await inWorkspace(async (folder) => {
    const given = { ...FACT, key: "door<b>bell</b>", value: "A <i>12 V</i> relay." };
    const kept = { stored: true, key: "doorbell", value: "A 12 V relay.", sensitive: [] };
    await mirrored("non-sensitive", judged(given, kept), { workspaceDir: folder });
    const page = await readFile(join(folder, MIRROR_FILE), "utf8");
    assert.match(page, /^- `doorbell`: A 12 V relay\. \(from Projects\/Doorbell\.md\)$/m);
  });
});
