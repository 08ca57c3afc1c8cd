// How long the page takes, next to the API's own time for the same request. Prints JSON. Both take
// turns, so that load on the machine affects both.
import http from "node:http";
import path from "node:path";

import { launch, Visit } from "./browser.mjs";
import { manyNotes, Stage, TEXT_ONLY } from "./stage.mjs";

const NOTES = Number(process.argv[2] ?? 10_000);
const FEW = 100;
const ROUNDS = Number(process.argv[3] ?? 40);
const WARM_UP = 5;

const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];

// The API's own time: the same body, over a connection that stays open.
class Direct {
  constructor(stage) {
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    this.socketPath = path.join(stage.home, "ragd.sock");
  }

  ask(method, target, body) {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const headers = { "Content-Type": "application/json" };
      const request = http.request({ socketPath: this.socketPath, agent: this.agent, method, path: target, headers }, async (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        for await (const part of answer) text += part;
        JSON.parse(text);
        resolve(performance.now() - began);
      });
      request.on("error", reject);
      request.end(body ? JSON.stringify(body) : undefined);
    });
  }
}

// From the key that completes a question to its results on the screen.
function typed(page, question) {
  return page.evaluate(
    (text) =>
      new Promise((resolve) => {
        const box = document.getElementById("question");
        const list = document.querySelector(".wide > div:last-child");
        const observer = new MutationObserver(() => {
          if (!list.querySelector("article")) return;
          observer.disconnect();
          list.getBoundingClientRect(); // the layout is part of it
          resolve(performance.now() - began);
        });
        observer.observe(list, { childList: true });
        box.value = text;
        const began = performance.now();
        box.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }),
    question,
  );
}

async function paint(visit, address) {
  await visit.open(address);
  return visit.page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const found = list.getEntriesByName("first-contentful-paint")[0];
          if (found) resolve(found.startTime);
        }).observe({ type: "paint", buffered: true });
      }),
  );
}

async function main() {
  let vocabulary;
  const stage = await Stage.begin(async (vault) => ({ vocabulary } = await manyNotes(vault, NOTES)), { embedding: TEXT_ONLY });
  const few = await Stage.begin((vault) => manyNotes(vault, FEW), { embedding: TEXT_ONLY });
  const browser = await launch();
  try {
    const visit = await Visit.begin(browser, stage);
    const beside = await Visit.begin(browser, few);
    const direct = new Direct(stage);
    const question = (round) => [3, 101, 977].map((step) => vocabulary[(round * step + 17) % vocabulary.length]).join(" ");
    await visit.open("/search");
    const search = { page: [], api: [] };
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const body = { query: question(round), max_results: 10, explain: true };
      const ask = async () => direct.ask("POST", "/v1/tools/obsidian_rag_search", body);
      const type = async () => typed(visit.page, question(round));
      const [first, second] = round % 2 ? [await ask(), await type()] : [await type(), await ask()];
      if (round < WARM_UP) continue;
      search.api.push(round % 2 ? first : second);
      search.page.push(round % 2 ? second : first);
    }
    const first = { many: [], few: [] };
    for (let round = 0; round < 12; round++) {
      first.many.push(await paint(visit, "/search"));
      first.few.push(await paint(beside, "/search"));
    }
    const result = { notes: NOTES, few: FEW, search, first };
    console.error(`search: ${median(search.page).toFixed(1)} ms, API ${median(search.api).toFixed(1)} ms; first paint ${median(first.many).toFixed(0)} ms, ${FEW} notes ${median(first.few).toFixed(0)} ms`);
    console.log(JSON.stringify(result));
  } finally {
    await browser.close();
    await few.end();
    await stage.end();
  }
}

await main();
