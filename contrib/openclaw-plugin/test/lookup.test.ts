import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, pathsIn } from "../src/lookup.js";

for (const path of ["Journal/2024-03-09.md", "Tagebuch/Müller_2.md", "日记/三月.md"]) {
  test(`the plain path ${path} is its own address`, () => {
    assert.equal(addressOf(path), path);
    assert.deepEqual(pathsIn(path), [path]);
  });
}

for (const path of ["My day/C# 100 %.md", "a\nb\u2028c.md", "<<<x>>> `y`.md", "👩‍👩‍👧 a%20b.md", "e\u0301.md"]) {
  for (const suspect of [false, true]) {
    test(`the address of ${JSON.stringify(path)} (${suspect}) is one word and leads back`, () => {
      const address = addressOf(path, suspect);
      assert.match(address, /^[\p{L}\p{N}\p{M}/._~%-]+$/u);
      assert.equal(pathsIn(address)[0], path);
    });
  }
}
