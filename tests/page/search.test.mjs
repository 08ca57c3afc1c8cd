// Search and Why, on the example vault with its vectors.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { launch, Visit } from "./browser.mjs";
import { EMBEDDED, exampleVault, Stage } from "./stage.mjs";

const QUESTION = "How much do I owe Sreenivas?";
const QUERY = `q=${encodeURIComponent(QUESTION)}`;
const SECRET = "Paid Sreenivas another $150";
let browser, stage, visit, page;

before(async () => {
  stage = await Stage.begin(exampleVault, { embedding: EMBEDDED });
  browser = await launch();
  await stage.search("a question that wakes the model");
  visit = await Visit.begin(browser, stage);
  page = visit.page;
});

after(async () => {
  await browser?.close();
  await stage?.end();
});

afterEach(() => assert.deepEqual(visit.wrong.splice(0), []));

const results = () => page.locator(".results article");
const parameterIs = (name, value) => page.waitForURL((url) => url.searchParams.get(name) === value);

async function openSearch(query = QUERY) {
  await visit.open(`/search?${query}`);
  await results().first().waitFor();
}

test("the code that signs in leaves the address and the history", async () => {
  const other = await Visit.begin(browser, stage);
  assert.equal(new URL(other.page.url()).hash, "");
  await other.page.goBack().catch(() => {});
  assert.equal(new URL(other.page.url()).hash, "");
  await other.end();
});

test("results appear while a question is typed, and the address holds it", async () => {
  await visit.open("/");
  await page.keyboard.type("what sensor survives rain", { delay: 5 });
  await page.locator("article", { hasText: "Which sensor survives rain?" }).waitFor();
  await parameterIs("q", "what sensor survives rain");
  assert.equal(await page.locator("article mark").first().count(), 1);
  await page.reload();
  await page.locator("article", { hasText: "Which sensor survives rain?" }).waitFor();
  assert.equal(await page.inputValue("#question"), "what sensor survives rain");
  await visit.shot("search-typed");
});

test("the results are those of the API, in its order", async () => {
  await openSearch();
  const { data } = await stage.search(QUESTION, { max_results: 10 });
  const shown = await results().evaluateAll((found) => found.map((one) => one.dataset.citation));
  assert.deepEqual(shown, data.results.map((one) => one.citation));
});

test("Markdown is shown as a reader sees it", async () => {
  await openSearch("q=Project+ideas");
  const text = page.locator('article[data-citation^="Projects/Ideas.md"] .text').first();
  assert.equal(await text.locator("s").innerText(), "learn the veena");
  assert.equal(await text.locator("em").innerText(), "not");
  assert.equal(await text.locator(".heading").first().innerText(), "Project ideas");
  const shown = await text.innerText();
  assert.ok(shown.includes("• bike lights that talk to each other"), shown);
  assert.doesNotMatch(shown, /^#+ |~~|^- /m);
});

test("properties are shown only if a word of the question is in them alone", async () => {
  const text = page.locator('article[data-citation^="People/Meera.md"] .text').first();
  const shows = async (beginning) => {
    // A text can be read while the results are being drawn.
    for (const until = Date.now() + 30_000; Date.now() < until; ) {
      if (beginning.test(await text.innerText())) return;
    }
    assert.match(await text.innerText(), beginning);
  };
  await openSearch("q=vet+for+large+animals");
  await shows(/^Meera\s+Vet, large animals/);
  await openSearch("q=Iyer+large+animals");
  await shows(/^aliases: \[Meera Iyer\]/);
});

test("sensitive text is not in the page until it is asked for", async () => {
  await openSearch();
  await visit.shot("search");
  assert.ok(!(await page.content()).includes(SECRET));
  await results().first().getByRole("button", { name: /Sensitive \(debts/ }).click();
  assert.ok((await results().first().innerText()).includes(SECRET));
});

test("a tag of the results limits the search, and the limit can be removed", async () => {
  await openSearch();
  await page.locator(".found").getByRole("button", { name: /^#car/ }).click();
  await page.locator(".chip.set").waitFor();
  await parameterIs("tag", "#car");
  await page.waitForFunction(() => [...document.querySelectorAll("article")].every((one) => one.innerText.includes("#car")));
  await page.getByRole("button", { name: "Remove the filter tag #car" }).click();
  await page.waitForFunction(() => !document.querySelector(".chip.set"));
  await parameterIs("tag", null);
});

test("folder, property and days are filters of the address", async () => {
  await openSearch(`${QUERY}&folder=Journal&from=2025-09-01&to=2025-09-30`);
  const found = await results().evaluateAll((all) => all.map((one) => one.dataset.citation));
  assert.ok(found.length && found.every((one) => one.startsWith("Journal/2025-09")), String(found));
  await page.fill("#facet-prop", "status=active");
  await page.press("#facet-prop", "Enter");
  await page.locator(".chip.set", { hasText: "status=active" }).waitFor();
  await parameterIs("prop", "status=active");
});

test("filters without a question list notes", async () => {
  await openSearch("folder=Recipes");
  const found = await results().evaluateAll((all) => all.map((one) => one.dataset.citation));
  assert.ok(found.length >= 5 && found.every((one) => one.startsWith("Recipes/")), String(found));
});

test("the folders of the vault are offered", async () => {
  await openSearch();
  await page.focus("#facet-folder");
  await page.locator('#facet-folder-list option[value="Recipes"]').waitFor({ state: "attached" });
});

test("an unknown folder is explained", async () => {
  await visit.open(`/search?${QUERY}&folder=Nowhere`);
  await page.locator(".notice.bad").waitFor();
  assert.match(await page.locator(".notice.bad").innerText(), /not in the index|directory/);
});

test("a link opens Obsidian at the heading of the passage", async () => {
  await openSearch("q=what%20sensor%20survives%20rain");
  const link = page.locator("article", { hasText: "Which sensor survives rain?" }).locator("a.outside");
  assert.equal(await link.getAttribute("href"), "obsidian://open?vault=Notes&file=Projects%2FDoorbell.md%23Open");
});

test("the note around a passage is shown, with the passage marked", async () => {
  await openSearch("q=what%20sensor%20survives%20rain");
  await results().first().locator(".around summary").click();
  const lines = results().first().locator(".lines");
  await lines.waitFor();
  assert.match(await lines.locator(".meant").last().innerText(), /survives rain/);
  assert.ok((await lines.locator("li").count()) > (await lines.locator(".meant").count()));
});

test("a title leads to the note at its lines", async () => {
  await openSearch("q=what%20sensor%20survives%20rain");
  await results().first().locator("h2 a").click();
  await page.locator(".lines .meant").first().waitFor();
  assert.match(page.url(), /\/note\?path=Projects%2FDoorbell\.md&from=13&to=14/);
  assert.equal(await page.title(), "Note · ragd");
  await visit.shot("note");
  await page.goBack();
  await results().first().waitFor();
});

test("keys move from the box through the results and back", async () => {
  await openSearch();
  await page.locator("h1").focus();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const second = await results().nth(1).locator("h2 a").innerText();
  assert.equal(await page.evaluate(() => document.activeElement.innerText), second);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "question");
});

test("the number of results is read out", async () => {
  await openSearch();
  assert.match(await page.locator("#said").innerText(), /^\d+ passages found\.$/);
});

test("a result says why it is there, in words and in numbers", async () => {
  await openSearch();
  await results().nth(1).locator(".because summary").click();
  await results().nth(1).getByRole("link", { name: /All numbers/ }).click();
  await page.locator(".meant").waitFor();
  const meant = page.locator(".meant");
  assert.match(await meant.innerText(), /Meaning|Words/);
  assert.match(await meant.locator(".bar").getAttribute("aria-label"), /words \d\.\d\d/);
  await meant.locator("summary", { hasText: "All numbers" }).click();
  assert.match(await meant.locator("table").innerText(), /vector_rank/);
});

for (const [note, stageName, step] of [
  ["Winter dal", "Too little of it is about the question", "Above the floor"],
  ["Not sent", "It is not in the index", "In the index"],
  ["Journal/2025-11-08.md", "It was found", null],
]) {
  test(`the expected note ${note}: ${stageName}`, async () => {
    await visit.open("/why");
    await page.fill("#why-question", QUESTION);
    await page.fill("#why-note", note);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.locator(".verdict").waitFor();
    assert.equal(await page.locator(".verdict .lead").innerText(), stageName);
    const failed = await page.locator(".steps .bad .step").allInnerTexts();
    assert.deepEqual(failed, step ? [step] : []);
    await parameterIs("note", note);
    await visit.shot(`why-${note.replace(/\W+/g, "-")}`);
  });
}

test("a filter that leaves the note out is named", async () => {
  await visit.open(`/why?${QUERY}&note=Sreenivas&folder=Recipes`);
  await page.locator(".verdict").waitFor();
  assert.equal(await page.locator(".verdict .lead").innerText(), "A filter leaves it out");
});

test("a daemon that is down is reported, and the page recovers", async () => {
  await openSearch();
  await stage.ragctl("stop");
  await page.fill("#question", "anything else");
  await page.locator(".notice.bad", { hasText: "ragctl start" }).waitFor();
  await stage.ragctl("start");
  await page.fill("#question", "Which sensor survives rain?");
  await page.locator("article", { hasText: "Which sensor survives rain?" }).waitFor();
});
