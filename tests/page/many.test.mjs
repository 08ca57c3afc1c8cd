// Every view with a vault of 10,000 notes.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { launch, Visit } from "./browser.mjs";
import { manyNotes, Stage, TEXT_ONLY } from "./stage.mjs";

const NOTES = 10_000;
let browser, stage, visit, page, vocabulary;

before(async () => {
  stage = await Stage.begin(async (vault) => ({ vocabulary } = await manyNotes(vault, NOTES)), { embedding: TEXT_ONLY });
  browser = await launch();
  visit = await Visit.begin(browser, stage);
  page = visit.page;
});

after(async () => {
  await browser?.close();
  await stage?.end();
});

afterEach(() => assert.deepEqual(visit.wrong.splice(0), []));

test("search finds notes while a question is typed", async () => {
  await visit.open("/search");
  const question = vocabulary.slice(40, 43).join(" ");
  await page.keyboard.type(question);
  await page.waitForFunction((text) => document.querySelectorAll("article").length === 10 && location.search.includes(encodeURIComponent(text.split(" ")[2])), question);
  await visit.shot("many-search");
  // The index may still be compacted after 10,000 new notes. That changes the order of equals.
  for (let left = 10; ; left--) {
    const { data } = await stage.search(question, { max_results: 10 });
    await visit.open(`/search?q=${encodeURIComponent(question)}`);
    await page.locator("article").nth(9).waitFor();
    const shown = await page.locator("article").evaluateAll((all) => all.map((one) => one.dataset.citation));
    const expected = data.results.map((one) => one.citation);
    if (left === 0) assert.deepEqual(shown, expected);
    if (shown.join() === expected.join()) break;
  }
});

test("an expected note is explained", async () => {
  await visit.open(`/why?q=${vocabulary[50]}&note=Note%204711`);
  await page.locator(".verdict").waitFor();
  assert.notEqual(await page.locator(".verdict .lead").innerText(), "No note has this name");
});

test("coverage counts all notes, and a folder lists its own page by page", async () => {
  await visit.open("/coverage");
  await page.locator(".figures dd", { hasText: "10,000" }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 12);
  await visit.shot("many-coverage");
  const topic = "Area 0/Topic 0";
  await visit.open(`/coverage?folder=${encodeURIComponent(topic)}`);
  const { data } = await stage.ask("GET", `/v1/coverage?folder=${encodeURIComponent(topic)}&notes=1000`);
  await page.getByRole("link", { name: "Note 0.md" }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), Math.min(200, data.notes.length));
});

test("health, facts and memories are shown", async () => {
  await visit.open("/health");
  await page.locator("svg.timeline").waitFor();
  await page.locator(".figures dd", { hasText: "10,000" }).first().waitFor();
  await visit.shot("many-health");
  await visit.open("/facts");
  await page.locator(".fact").first().waitFor();
  assert.ok((await page.locator(".facts > li").count()) <= 500);
  await visit.open("/memories");
  await page.locator(".empty").waitFor();
});
