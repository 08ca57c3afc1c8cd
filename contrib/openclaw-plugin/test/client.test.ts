import assert from "node:assert/strict";
import { test } from "node:test";

import { createClient } from "../src/client.js";
import { type HttpRequest, exchange } from "../src/socket.js";
import { envelope, FakeRagd, type Reply, trouble } from "./fake_ragd.js";

async function withRagd(reply: Reply, run: (ragd: FakeRagd) => Promise<void>): Promise<void> {
  const ragd = await new FakeRagd(reply).listen();
  try {
    await run(ragd);
  } finally {
    await ragd.close();
  }
}

function clientOf(socketPath: string, timeoutMs = 5_000) {
  return createClient({ socketPath, timeoutMs, asker: null, retryAfterMs: { absent: 5, starting: 5 } });
}

test("a tool is asked over the socket and its envelope comes back unchanged", async () => {
  const answer = envelope({ plugin_health: "healthy", name: "Gewürzregal 读书" });
  await withRagd(
    () => answer,
    async (ragd) => {
      const got = await clientOf(ragd.socketPath).call("obsidian_rag_status", { a: "ü" });
      assert.deepEqual(got, answer);
      const path = "/v1/tools/obsidian_rag_status";
      assert.deepEqual(ragd.asked, [{ path, body: { a: "ü" }, asker: [undefined, undefined] }]);
    },
  );
});

test("without a daemon the answer names the next command to type", async () => {
  const got = await clientOf("/nonexistent/ragd.sock").call("obsidian_rag_search", {});
  assert.equal(got.status, "unavailable");
  assert.equal(got.data, null);
  assert.equal(got.error?.code, "DAEMON_NOT_RUNNING");
  assert.match(got.error?.suggestion ?? "", /`ragctl start`/);
});

test("a starting daemon is asked once more", async () => {
  let calls = 0;
  const starting = envelope(null, { status: "unavailable", error: trouble("STARTING") });
  await withRagd(
    () => (++calls === 1 ? starting : envelope({ ok: 1 })),
    async (ragd) => {
      assert.deepEqual((await clientOf(ragd.socketPath).call("x", {})).data, { ok: 1 });
      assert.equal(calls, 2);
    },
  );
});

test("a read that was cut off is asked once more, and nothing else is", async () => {
  let calls = 0;
  await withRagd(
    () => (++calls % 2 === 1 ? "hang up" : envelope({ ok: 1 })),
    async (ragd) => {
      const client = clientOf(ragd.socketPath);
      assert.deepEqual((await client.call("obsidian_rag_search", { query: "x" })).data, { ok: 1 });
      assert.deepEqual((await client.call("obsidian_rag_status", {})).data, { ok: 1 });
      assert.equal(ragd.asked.length, 4);
      for (const [tool, args] of [
        ["obsidian_rag_search", { query: "x", confirm: "t" }],
        ["obsidian_rag_memory_store", { key: "k" }],
      ] as const) {
        calls = 0;
        assert.equal((await client.call(tool, args)).data, null);
        assert.equal(calls, 1);
      }
    },
  );
});

test("a daemon that keeps starting is asked twice, not for ever", async () => {
  const starting = envelope(null, { status: "unavailable", error: trouble("STARTING") });
  await withRagd(
    () => starting,
    async (ragd) => {
      assert.equal((await clientOf(ragd.socketPath).call("x", {})).error?.code, "STARTING");
      assert.equal(ragd.asked.length, 2);
    },
  );
});

test("a daemon that comes up between the two attempts answers", async () => {
  const ragd = new FakeRagd(() => envelope({ up: true }));
  const { socketPath } = ragd;
  let attempts = 0;
  const comingUp = async (ask: HttpRequest) => {
    const answer = exchange(ask);
    if (++attempts === 1) await answer.catch(() => ragd.listen());
    return answer;
  };
  const options = { socketPath, timeoutMs: 10_000, exchange: comingUp };
  const client = createClient({ ...options, asker: null, retryAfterMs: { absent: 5, starting: 0 } });
  assert.deepEqual((await client.call("x", {})).data, { up: true });
  assert.equal(attempts, 2);
  await ragd.close();
});

test("an answer that is refused is not asked for again", async () => {
  const refused = envelope(null, { error: trouble("INVALID_REQUEST") });
  await withRagd(
    () => refused,
    async (ragd) => {
      assert.deepEqual(await clientOf(ragd.socketPath).call("x", {}), refused);
      assert.equal(ragd.asked.length, 1);
    },
  );
});

test("a daemon that does not answer is a time-out, not an exception", async () => {
  await withRagd(
    () => null,
    async (ragd) => {
      const got = await clientOf(ragd.socketPath, 300).call("x", {});
      assert.equal(got.error?.code, "TIMEOUT");
      assert.equal(got.status, "degraded");
      assert.ok(ragd.asked.length <= 1);
    },
  );
});

test("a call can be cancelled while it waits", async () => {
  const stop = new AbortController();
  await withRagd(
    () => {
      stop.abort();
      return null;
    },
    async (ragd) => {
      const got = await clientOf(ragd.socketPath).call("x", {}, stop.signal);
      assert.equal(got.error?.code, "CANCELLED");
    },
  );
});

test("a call that is cancelled already sends nothing", async () => {
  await withRagd(
    () => envelope({}),
    async (ragd) => {
      const got = await clientOf(ragd.socketPath).call("x", {}, AbortSignal.abort());
      assert.equal(got.error?.code, "CANCELLED");
      assert.equal(ragd.asked.length, 0);
    },
  );
});

test("lines of a note are asked for by path and number, and no such note is null", async () => {
  const none = envelope(null, { error: trouble("INVALID_REQUEST") });
  await withRagd(
    ({ path }) => (path.includes("absent") ? [404, none] : envelope({ text: "a\nb" })),
    async (ragd) => {
      const client = clientOf(ragd.socketPath);
      assert.deepEqual((await client.read("A & B/ü#1.md", 3, 4))?.data, { text: "a\nb" });
      assert.equal(ragd.asked[0]?.path, "/v1/notes?path=A%20%26%20B%2F%C3%BC%231.md&from=3&to=4");
      assert.equal(await client.read("absent.md", 1, 1), null);
    },
  );
});

for (const [what, body] of [
  ["no JSON", "<html>"],
  ["no envelope", '{"hello":"world"}'],
  ["a list", "[]"],
  ["an envelope with an odd error", '{"status":"healthy","data":{},"error":"no"}'],
] as const) {
  test(`an answer that is ${what} is not taken for ragd's`, async () => {
    await withRagd(
      () => body,
      async (ragd) => {
        const got = await clientOf(ragd.socketPath).call("x", {});
        assert.equal(got.error?.code, "DAEMON_UNREACHABLE");
        assert.equal(got.status, "unavailable");
      },
    );
  });
}

test("an endless answer is cut off", async () => {
  await withRagd(
    () => " ".repeat(9 * 1024 * 1024),
    async (ragd) => {
      const got = await clientOf(ragd.socketPath).call("x", {});
      assert.equal(got.error?.code, "DAEMON_UNREACHABLE");
    },
  );
});

for (const code of ["EACCES", "EPERM"]) {
  test(`a socket of another user (${code}) says so`, async () => {
    const exchange = () => Promise.reject(Object.assign(new Error("no"), { code }));
    const client = createClient({ socketPath: "/s", timeoutMs: 1_000, asker: null, exchange });
    assert.equal((await client.call("x", {})).error?.code, "DAEMON_NOT_OURS");
  });
}
