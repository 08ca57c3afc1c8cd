import assert from "node:assert/strict";
import { test } from "node:test";

import { beginning, withinLimits } from "../src/cutting.js";
import { found, passage } from "./fake_ragd.js";

const LIMITS = { maxChars: 4_000, snippetChars: 700 };
const LONG = "seven words are in this one sentence. ".repeat(50); // 1,900 characters

type Rows = Record<string, unknown>[];

test("short answers are left as they are", () => {
  const data = found([passage(), passage()]);
  assert.deepEqual(withinLimits(data, LIMITS), data);
});

test("long passages are cut at a word and say so", () => {
  const data = withinLimits(found([passage({ chunk_text: LONG }), passage()]), LIMITS);
  const [first, second] = data["results"] as Rows;
  const text = String(first?.["chunk_text"]);
  assert.ok(text.length <= 704);
  assert.match(text, /\w \[…\]$/);
  assert.match(String(first?.["cut"]), /^\d+ of 1900 characters$/);
  assert.equal(second?.["cut"], undefined);
});

test("a single passage is returned whole", () => {
  const data = withinLimits(found([passage({ chunk_text: LONG })]), LIMITS);
  assert.equal((data["results"] as Rows)[0]?.["chunk_text"], LONG);
});

test("a single passage still keeps the limit of the answer", () => {
  const data = withinLimits(found([passage({ chunk_text: LONG })]), { ...LIMITS, maxChars: 1_000 });
  assert.ok(JSON.stringify(data["results"]).length <= 1_000);
  assert.match(String((data["results"] as Rows)[0]?.["cut"]), / of 1900 /);
});

for (const maxChars of [500, 1_000, 4_000, 20_000]) {
  test(`fifty passages and five memories keep within ${maxChars} characters`, () => {
    const memory = { key: "k", value: LONG.repeat(5), source: "a.md", stored_at: "2026" };
    const many = Array.from({ length: 50 }, () => passage({ chunk_text: LONG }));
    const suggestion = { key: "k", value: "v", source: "a.md" };
    const data = withinLimits(
      found(many, { memories: Array(5).fill(memory), memory_suggestion: suggestion }),
      { maxChars, snippetChars: 700 },
    );
    const injected = [data["results"], data["memories"], data["memory_suggestion"]];
    const size = injected.reduce<number>((sum, one) => sum + JSON.stringify(one).length, 0);
    assert.ok(size <= maxChars, `${size} characters`);
    const shown = (data["results"] as Rows).length + (data["memories"] as Rows).length;
    assert.equal(Number(data["left_out"]) + shown, 55);
  });
}

test("escaped characters count as they are sent", () => {
  const data = withinLimits(found([passage({ chunk_text: '"\n'.repeat(1_000) }), passage()]), {
    maxChars: 1_500,
    snippetChars: 10_000,
  });
  assert.ok(JSON.stringify(data["results"]).length <= 1_500);
});

test("no character is cut in half", () => {
  const text = "😀".repeat(100);
  for (const length of [10, 11]) assert.equal(beginning(text, length), "😀".repeat(5));
});

test("a text without spaces is cut as well", () => {
  assert.equal(beginning("读书笔记".repeat(100), 50).length, 50);
});
