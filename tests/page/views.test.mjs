// Coverage, Health, Live facts and Memories, on the example vault; what waits for a person, too.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";

import { launch, Visit } from "./browser.mjs";
import { exampleVault, Stage, TEXT_ONLY, writeNote } from "./stage.mjs";

const ADDED = 60; // notes of the folder Diary, which then disappear at once
const AGENT = { "X-Ragd-Agent": "work", "X-Ragd-Chat": "direct" };
let browser, stage, visit, page;

async function fill(vault) {
  await exampleVault(vault);
  for (let number = 0; number < ADDED; number++) await writeNote(vault, `Diary/Day ${number}.md`, `# Day ${number}\n\nNothing happened.\n`);
}

before(async () => {
  stage = await Stage.begin(fill, { embedding: TEXT_ONLY });
  browser = await launch();
  const store = (key, value, source) => stage.ask("POST", "/v1/tools/obsidian_rag_memory_store", { key, value, source });
  await store("debt_to_sreenivas", "I owe Sreenivas $290.", "People/Sreenivas.md");
  await store("tea", "Meera drinks strong tea.", "People/Meera.md");
  visit = await Visit.begin(browser, stage);
  page = visit.page;
});

after(async () => {
  await browser?.close();
  await stage?.end();
});

afterEach(() => assert.deepEqual(visit.wrong.splice(0), []));

const figure = async (name) => {
  const found = page.locator(".figures > div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).first();
  return (await found.locator("dd").innerText()).replace(/,/g, "");
};

test("coverage has the numbers of the API", async () => {
  await visit.open("/coverage");
  await page.locator("table").waitFor();
  const { data } = await stage.ask("GET", "/v1/coverage");
  assert.equal(await figure("Notes"), String(data.collections[0].notes));
  assert.equal(await figure("Passages"), String(data.collections[0].passages));
  const folders = await page.locator("tbody th").allInnerTexts();
  assert.deepEqual(folders, data.folders.map((one) => one.path));
  assert.equal(await page.locator(".tile").count(), data.folders.filter((one) => one.notes).length);
  assert.match(await page.locator(".files").innerText(), /Not sent\.md.*rag: false/);
  await visit.shot("coverage");
});

test("a click on a folder leads to its notes, and a click on a note to its text", async () => {
  await visit.open("/coverage");
  await page.locator(".tile", { hasText: "Recipes" }).click();
  await page.getByRole("heading", { name: "Notes in this folder" }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("folder"), "Recipes");
  assert.equal(await figure("Notes"), "5");
  await page.getByRole("link", { name: "Focaccia.md" }).click();
  await page.locator(".lines").waitFor();
  await page.getByRole("link", { name: "Its folder in Coverage" }).click();
  await page.getByRole("link", { name: "Focaccia.md" }).waitFor();
});

test("a folder that does not exist is explained", async () => {
  await visit.open("/coverage?folder=Nowhere");
  await page.locator(".notice.bad").waitFor();
});

test("health now has the reasons and what to do", async () => {
  await visit.open("/health");
  await page.locator(".notice code", { hasText: "ollama serve" }).first().waitFor();
  assert.equal(await page.locator(".now").first().innerText(), "ragd is degraded");
  assert.equal(await figure("Notes"), "128");
});

test("the timeline has each change with its cause, and jobs as bars", async () => {
  await visit.open("/health");
  await page.locator("svg.timeline").waitFor();
  const { data } = await stage.ask("GET", "/v1/timeline?days=7");
  assert.equal(await page.locator("svg .job").count(), data.jobs.length);
  const changes = page.locator("table", { has: page.locator("caption", { hasText: "Changes of health" }) });
  assert.equal(await changes.locator("tbody tr").count(), Math.min(15, data.changes.length));
  assert.match(await changes.innerText(), /ragd \S+ started/);
  await visit.shot("health");
});

test("the slider replays the state at a moment, and the moment is in the address", async () => {
  await visit.open("/health");
  await page.locator("#moment").focus();
  await page.keyboard.press("Home");
  await page.locator(".replayed", { hasText: "after fact" }).waitFor();
  assert.match(await page.locator(".replayed").innerText(), /Notes\s*0\s/);
  assert.match(page.url(), /[?&]at=/);
  await visit.shot("health-replayed");
  await page.reload();
  await page.locator(".replayed", { hasText: "after fact" }).waitFor();
  await page.locator("#moment").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => !document.querySelector(".replayed").textContent);
});

test("facts arrive while they are written, and can be limited to a type", async () => {
  await visit.open("/facts?type=files_changed");
  await page.locator(".live", { hasText: /^live$/ }).waitFor();
  await writeNote(stage.vault, "Just now.md", "# Just now\n\nA new note.\n");
  await page.locator(".fact", { hasText: "Just now.md" }).waitFor();
  const types = await page.locator(".fact").evaluateAll((all) => [...new Set(all.map((one) => one.dataset.type))]);
  assert.deepEqual(types, ["files_changed"]);
  await page.locator(".types summary").click();
  await page.getByLabel("files_changed", { exact: true }).uncheck();
  await page.locator('.fact[data-type="daemon_started"]').waitFor();
  assert.equal(new URL(page.url()).search, "");
  await page.locator('.fact[data-type="daemon_started"] summary').click();
  assert.match(await page.locator('.fact[data-type="daemon_started"] dl').innerText(), /previous_stop/);
});

test("every button says what it will do", async () => {
  await visit.open("/facts");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  const buttons = page.locator(".action button");
  for (const button of await buttons.all()) {
    const id = await button.getAttribute("aria-describedby");
    assert.ok((await page.locator(`#${id}`).innerText()).length > 30, await button.innerText());
  }
  await visit.shot("facts");
});

test("a sync runs and reports its end", async () => {
  await visit.open("/facts");
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.locator(".result", { hasText: "Done" }).waitFor();
});

test("a reindex asks a second time", async () => {
  await visit.open("/facts");
  await page.getByRole("button", { name: "Reindex…" }).click();
  await page.getByRole("button", { name: "Build a new index" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Reindex…" }).waitFor();
  const { data } = await stage.ask("GET", "/v1/timeline?days=1");
  assert.deepEqual(data.jobs.filter((one) => one.mode === "reindex"), []);
});

test("syncing is paused and goes on", async () => {
  await visit.open("/facts");
  await page.selectOption("#pause-for", "3600");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  assert.ok((await stage.ask("GET", "/v1/status")).data.paused);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  assert.equal((await stage.ask("GET", "/v1/status")).data.paused, null);
});

test("memories are listed with their source, and the sensitive one is blurred", async () => {
  await visit.open("/memories");
  await page.locator(".memory-card").nth(1).waitFor();
  assert.ok(!(await page.content()).includes("$290"));
  await visit.shot("memories");
  await page.getByRole("button", { name: /Sensitive/ }).click();
  assert.ok((await page.content()).includes("$290"));
  await page.fill("#memory-filter", "tea");
  await page.waitForFunction(() => document.querySelectorAll(".memory-card").length === 1);
});

test("a memory is stale when its note has changed, and can be forgotten", async () => {
  await writeNote(stage.vault, "People/Meera.md", "# Meera\n\nDrinks coffee now.\n");
  await visit.open("/memories");
  const card = page.locator(".memory-card", { hasText: "strong tea" });
  await card.locator(".state", { hasText: "stale" }).waitFor();
  await card.getByRole("button", { name: "Forget tea" }).click();
  await card.getByRole("button", { name: "Erase it for good" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".memory-card").length === 1);
  const { data } = await stage.ask("GET", "/v1/memories");
  assert.deepEqual(data.memories.map((one) => one.key), ["debt_to_sreenivas"]);
});

test("held deletions wait for a person: refused, then accepted", async () => {
  await visit.open("/facts");
  await rm(path.join(stage.vault, "Diary"), { recursive: true });
  await stage.ask("POST", "/v1/jobs", { mode: "sync" });
  await page.locator(".attention", { hasText: `${ADDED} notes of “vault” are gone` }).waitFor();
  await visit.shot("held");
  await page.getByRole("button", { name: "Refuse, and look again" }).click();
  await page.locator(".attention .result", { hasText: "Done" }).waitFor();
  assert.equal((await stage.ask("GET", "/v1/coverage?folder=Diary")).data.folder.notes, ADDED);
  await page.getByRole("button", { name: "Accept the deletions…" }).click();
  await page.getByRole("button", { name: `Remove ${ADDED} notes from the index` }).click();
  await page.locator(".attention").waitFor({ state: "hidden" });
  await page.locator('.fact[data-type="batch_stored"]', { hasText: `${ADDED} removed` }).waitFor();
  assert.equal((await stage.ask("GET", "/v1/coverage?folder=Diary")).error.code, "UNKNOWN_DIRECTORY");
});

test("an agent's question waits for consent: released for it, once", async () => {
  await stage.configure({ security: { sensitive: "block" } });
  await stage.ask("POST", "/v1/reload", {});
  await visit.open("/facts");
  const ask = () => stage.search("how much do I owe Sreenivas", { max_results: 3 }, AGENT);
  const withheld = await ask();
  assert.ok(withheld.data.approval);
  await page.locator(".attention", { hasText: "work asks" }).waitFor();
  await visit.shot("approval");
  await page.getByRole("button", { name: "Release…" }).click();
  await page.getByRole("button", { name: "Release them to the agent" }).click();
  await page.locator(".attention").waitFor({ state: "hidden" });
  const released = await ask();
  assert.ok(released.data.results.length > withheld.data.results.length);
});

test("the user's own sensitive passages are shown after one more click", async () => {
  await visit.open("/search?q=how%20much%20do%20I%20owe%20Sreenivas");
  await page.locator(".notice", { hasText: "withheld" }).waitFor();
  const before = await page.locator("article").count();
  await page.getByRole("button", { name: "Show them to me, this time" }).click();
  await page.waitForFunction((count) => document.querySelectorAll("article").length > count, before);
});

test("a view that does not exist says so", async () => {
  await visit.open("/nothing");
  assert.equal(await page.locator("h1").innerText(), "There is no such view");
});
