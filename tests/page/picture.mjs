// Takes docs/page.png, the picture of the README: a search in the example vault.
import path from "node:path";

import { launch, Visit } from "./browser.mjs";
import { EMBEDDED, exampleVault, REPOSITORY, Stage } from "./stage.mjs";

const FILE = path.join(REPOSITORY, "docs", "page.png");
const QUESTION = "what sensor survives rain?";

const stage = await Stage.begin(exampleVault, { embedding: EMBEDDED });
const browser = await launch();
try {
  const visit = await Visit.begin(browser, stage, { viewport: { width: 1180, height: 720 } });
  await stage.search(QUESTION); // the first question waits for the model
  await visit.open(`/search?q=${encodeURIComponent(QUESTION)}`);
  await visit.page.locator("article").first().waitFor();
  await visit.page.locator(".because summary").first().click();
  await visit.page.locator(".because[open] li").first().waitFor();
  await visit.page.locator("[data-state=healthy] .dot").waitFor();
  await visit.page.screenshot({ path: FILE });
  console.log(`docs/page.png: ${QUESTION}`);
} finally {
  await browser.close();
  await stage.end();
}
