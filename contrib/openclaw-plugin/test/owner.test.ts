import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { createClient } from "../src/client.js";
import { NotOurs, requireOwnSocket } from "../src/owner.js";
import { envelope, FakeRagd } from "./fake_ragd.js";

const unix = { skip: process.platform === "win32" ? "named pipes have no owner here" : false };
const uid = process.getuid?.() ?? 0;

async function withRagd(run: (ragd: FakeRagd) => Promise<void>): Promise<void> {
  const ragd = await new FakeRagd(() => envelope({ ok: 1 })).listen();
  try {
    await run(ragd);
  } finally {
    await ragd.close();
  }
}

/** What a tool answers that uses this socket. */
async function asking(socketPath: string) {
  return createClient({ socketPath, timeoutMs: 5_000, asker: null }).call("obsidian_rag_status", {});
}

async function refused(ragd: FakeRagd, socketPath: string, why: RegExp): Promise<void> {
  const { status, data, error } = await asking(socketPath);
  assert.deepEqual([status, data, error?.code], ["unavailable", null, "DAEMON_NOT_OURS"]);
  assert.match(`${error?.message} ${error?.suggestion}`, why);
  assert.equal(ragd.asked.length, 0);
}

test("a socket of ours in a folder of ours is asked", unix, async () => {
  await withRagd(async (ragd) => {
    assert.deepEqual((await asking(ragd.socketPath)).data, { ok: 1 });
  });
});

test("a folder that is reached through a link of ours is asked", unix, async () => {
  await withRagd(async (ragd) => {
    const inner = join(ragd.folder, "inner");
    mkdirSync(inner, { mode: 0o700 });
    symlinkSync(ragd.folder, join(inner, "home"));
    assert.deepEqual((await asking(join(inner, "home", "ragd.sock"))).data, { ok: 1 });
  });
});

test("a link in the socket's place is refused", unix, async () => {
  await withRagd(async (ragd) => {
    const other = join(ragd.folder, "other.sock");
    renameSync(ragd.socketPath, other);
    symlinkSync(other, ragd.socketPath);
    await refused(ragd, ragd.socketPath, /ragd\.sock is a symbolic link.*socketPath/);
  });
});

test("a file that is not a socket is refused", unix, async () => {
  await withRagd(async (ragd) => {
    const file = join(ragd.folder, "file.sock");
    writeFileSync(file, "", { mode: 0o600 });
    await refused(ragd, file, /is not a socket/);
  });
});

for (const mode of [0o606, 0o660, 0o755, 0o777]) {
  test(`a socket of mode ${mode.toString(8)} is refused`, unix, async () => {
    await withRagd(async (ragd) => {
      chmodSync(ragd.socketPath, mode);
      const said = new RegExp(`open to other users \\(mode 0${mode.toString(8)}\\).*ragctl start`);
      await refused(ragd, ragd.socketPath, said);
    });
  });
}

for (const mode of [0o1777, 0o770, 0o702]) {
  test(`a socket in a folder of mode ${mode.toString(8)} is refused`, unix, async () => {
    await withRagd(async (ragd) => {
      chmodSync(ragd.folder, mode);
      await refused(ragd, ragd.socketPath, /Other users can write to .*chmod 700/);
    });
  });
}

test("another user's socket is refused for every user", unix, async () => {
  await withRagd(async ({ socketPath }) => {
    const said = new RegExp(`ragd\\.sock belongs to another user \\(uid ${uid}\\)`);
    await assert.rejects(requireOwnSocket(socketPath, uid + 1), (why: Error) => {
      assert.ok(why instanceof NotOurs);
      assert.match(why.message, said);
      return /same user/.test(why.suggestion);
    });
  });
});

test("an absent socket is absent, not another user's", unix, async () => {
  await assert.rejects(requireOwnSocket("/nonexistent/ragd.sock"), { code: "ENOENT" });
});

test("without user ids nothing is checked", async () => {
  await requireOwnSocket("\\\\.\\pipe\\ragd-1", null);
});
