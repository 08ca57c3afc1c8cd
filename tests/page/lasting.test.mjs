// What a person has opened or reached stays while the numbers change, a view that failed comes back
// by itself, and every refusal says what to do.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { launch, Visit } from "./browser.mjs";
import { exampleVault, Stage, TEXT_ONLY, writeNote } from "./stage.mjs";

let browser, stage, visit, page;

async function fill(vault) {
  await exampleVault(vault);
  await writeNote(vault, "Slow.md", "---\nstatus: in progress\n---\n# Slow\n\nA boat is built.\n");
}

before(async () => {
  stage = await Stage.begin(fill, { embedding: TEXT_ONLY, security: { sensitive: "block" } });
  browser = await launch();
  visit = await Visit.begin(browser, stage);
  page = visit.page;
});

after(async () => {
  await browser?.close();
  await stage?.end();
});

afterEach(() => assert.deepEqual(visit.wrong.splice(0), []));

const focused = () => page.evaluate(() => document.activeElement.textContent);

test("health asks again, and what was opened and focused stays", async () => {
  await visit.open("/health");
  await page.locator("summary", { hasText: "Parts of the daemon" }).click();
  await page.locator("details[open] table").waitFor();
  const heading = await page.locator(".now").elementHandle();
  await heading.waitForElementState("hidden"); // the numbers were drawn again
  await page.locator("details[open] table").waitFor();
  assert.equal(await focused(), "Parts of the daemon");
});

test("a button keeps the focus when it is done, also if another one takes its place", async () => {
  await visit.open("/facts");
  const sync = page.getByRole("button", { name: "Sync now" });
  await sync.focus();
  await page.keyboard.press("Enter");
  await page.locator(".result", { hasText: /^Done/ }).waitFor();
  assert.equal(await focused(), "Sync now");
  await page.getByRole("button", { name: "Pause" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  assert.equal(await focused(), "Resume");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  assert.equal(await focused(), "Pause");
});

test("the day of the facts is above them, and what is not known is left out", async () => {
  await stage.ask("GET", "/v1/notes?path=../x");
  await stage.ask("POST", "/v1/pause", { seconds: 60 });
  await stage.ask("POST", "/v1/resume", {});
  await visit.open("/facts");
  await page.locator('.fact[data-type="sync_paused"]').first().waitFor();
  assert.equal(await page.locator(".facts > li").first().getAttribute("class"), "day");
  const said = await page.locator(".facts").innerText();
  assert.match(said, /there was no run before/);
  assert.doesNotMatch(said, /\(\)|until \d{4}-\d\d-\d\dT/);
});

test("a moment before the log began is named as such", async () => {
  await visit.open("/health?at=1999-01-01T00:00:00Z");
  await page.locator(".replayed", { hasText: "The log does not go back so far." }).waitFor();
});

test("a property with a space is one filter, also without a question", async () => {
  await visit.open(`/search?prop=${encodeURIComponent("status=in progress")}`);
  await page.locator("article", { hasText: "Slow" }).waitFor();
});

test("why leads to what is withheld, and not to a call for assistants", async () => {
  await visit.open(`/why?q=${encodeURIComponent("how much do I owe")}`);
  await page.getByRole("link", { name: "Search can show them" }).click();
  await page.getByRole("button", { name: "Show them to me" }).waitFor();
});

test("any memory can be forgotten, whatever its key", async () => {
  for (const key of ["..", "a/b?c#d%e"]) {
    await stage.ask("POST", "/v1/tools/obsidian_rag_memory_store", { key, value: "Tea is strong.", source: "Slow.md" });
  }
  await visit.open("/memories");
  for (const key of ["..", "a/b?c#d%e"]) {
    await page.getByRole("button", { name: `Forget ${key}`, exact: true }).click();
    await page.getByRole("button", { name: "Erase it for good" }).click();
    await page.getByRole("heading", { name: key, exact: true }).waitFor({ state: "detached" });
  }
  assert.deepEqual((await stage.ask("GET", "/v1/memories")).data.memories, []);
});

test("the question of an agent is read in the order in which it was written", async () => {
  const question = "how much do I owe \u202eesaeleR";
  await stage.search(question, {}, { "X-Ragd-Agent": "work", "X-Ragd-Chat": "direct" });
  await visit.open("/facts");
  await page.locator(".waiting q").waitFor();
  assert.equal(await page.locator(".waiting q").textContent(), "how much do I owe esaeleR");
});

test("names are not broken inside a word on a narrow screen", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await visit.open("/coverage");
  const name = page.locator("tbody th a", { hasText: "Journal" });
  await name.waitFor();
  assert.equal(await name.evaluate((one) => one.getClientRects().length), 1);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test("a view that failed is shown when the daemon is back", async () => {
  await visit.open("/coverage");
  await stage.ragctl("stop");
  await visit.open("/coverage");
  await page.locator(".notice.bad", { hasText: "ragctl start" }).waitFor();
  await stage.ragctl("start");
  await page.locator("tbody th a", { hasText: "Journal" }).waitFor();
});

test("a view that a browser may no longer load says how to get in", async () => {
  const other = await Visit.begin(browser, stage);
  await other.context.clearCookies();
  await other.page.getByRole("link", { name: "Coverage" }).click();
  await other.page.locator(".notice.bad", { hasText: "ragctl open" }).waitFor();
  assert.deepEqual(other.wrong, []);
  await other.end();
});
