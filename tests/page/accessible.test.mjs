// Every view in light, dark and on a narrow screen: checked by axe, and nothing is cut off.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { launch, Visit } from "./browser.mjs";
import { exampleVault, Stage, TEXT_ONLY } from "./stage.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = {
  start: ["/search", ".empty"],
  search: ["/search?q=how%20much%20do%20I%20owe%20Sreenivas&folder=Journal", "article"],
  why: ["/why?q=how%20much%20do%20I%20owe%20Sreenivas&note=Winter%20dal", ".verdict"],
  coverage: ["/coverage", "table"],
  folder: ["/coverage?folder=Journal", "table"],
  health: ["/health", "svg.timeline"],
  past: ["/health?at=2020-01-01T00:00:00Z", ".replayed :is(.now, .notice, p)"],
  facts: ["/facts", ".fact"],
  memories: ["/memories", ".memory-card"],
  note: ["/note?path=Projects%2FDoorbell.md&from=13&to=14", ".lines"],
};
const SCREENS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  narrow: { colorScheme: "light", viewport: { width: 360, height: 740 } },
};
let browser, stage;

before(async () => {
  stage = await Stage.begin(exampleVault, { embedding: TEXT_ONLY });
  browser = await launch();
  await stage.ask("POST", "/v1/tools/obsidian_rag_memory_store", { key: "debt", value: "I owe Sreenivas $290.", source: "People/Sreenivas.md" });
});

after(async () => {
  await browser?.close();
  await stage?.end();
});

// What lies outside of the window, unless its box can be scrolled.
function cutOff(page) {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const outside = [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll"));
    return outside.map((one) => one.outerHTML.slice(0, 120));
  });
}

for (const [screen, options] of Object.entries(SCREENS)) {
  test(`every view is accessible: ${screen}`, async (context) => {
    const visit = await Visit.begin(browser, stage, options);
    const { page } = visit;
    for (const [name, [address, shown]] of Object.entries(VIEWS)) {
      await context.test(name, async () => {
        await visit.open(address);
        await page.locator(shown).first().waitFor();
        await visit.shot(`${screen}-${name}`);
        await visit.unfold();
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        const said = violations.map((one) => `${one.id}: ${one.help}\n${one.nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).slice(0, 3).join("\n")}`);
        assert.deepEqual(said, []);
        assert.deepEqual(await cutOff(page), []);
        assert.deepEqual(visit.wrong.splice(0), []);
      });
    }
    await visit.end();
  });
}

test("every view can be reached with the keyboard alone", async () => {
  const visit = await Visit.begin(browser, stage);
  const { page } = visit;
  await visit.open("/memories");
  for (const name of ["Search", "Why", "Coverage", "Health", "Live facts", "Memories"]) {
    await page.locator(".brand").focus(); // the top of the page
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => [document.activeElement.innerText, Boolean(document.activeElement.closest("nav"))]);
      if (at[0] === name && at[1]) break;
    }
    await page.keyboard.press("Enter");
    await page.waitForFunction((title) => document.title.startsWith(title), name);
    const focused = await page.evaluate(() => document.activeElement.tagName + document.activeElement.id);
    assert.match(focused, /^H1|INPUTquestion/);
  }
  assert.deepEqual(visit.wrong, []);
  await visit.end();
});
