// The page has an address that no browser has seen: what another user of the machine left in the
// browser while the port was free stays with other addresses. Old ones lead to their views.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";

import { launch } from "./browser.mjs";
import { exampleVault, Stage, TEXT_ONLY } from "./stage.mjs";

let browser, stage, context, page, squatter;

// What another user serves on the port while the bridge is off. Its worker answers everything from
// then on, and tells what it saw to a port of its own.
class Squatter {
  static async begin(port) {
    const squatter = new Squatter();
    squatter.heard = [];
    squatter.told = await listen((request, response) => {
      squatter.heard.push(decodeURIComponent(request.url.slice(1)));
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.end();
    }, "127.0.0.1", 0);
    const answer = (request, response) => squatter.answer(request, response);
    squatter.servers = [await listen(answer, "127.0.0.1", port)];
    const six = await listen(answer, "::1", port).catch(() => null); // a machine may have no IPv6
    if (six) squatter.servers.push(six);
    return squatter;
  }

  answer(request, response) {
    const script = request.url.endsWith(".js");
    response.setHeader("Content-Type", script ? "text/javascript" : "text/html");
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    if (request.url === "/worker.js") return response.end(this.worker);
    if (script) return response.end(`${this.tell} tell("cached " + location.href); document.title = "theirs";`);
    response.end('<title>theirs</title><script src="/enter.js"></script>');
  }

  get tell() {
    return `const tell = (what) => fetch("http://127.0.0.1:${this.told.address().port}/" + encodeURIComponent(what), { mode: "no-cors" });`;
  }

  get worker() {
    return `${this.tell}
      addEventListener("install", () => skipWaiting());
      addEventListener("activate", (event) => event.waitUntil(clients.claim()));
      addEventListener("fetch", (event) => {
        const page = '<title>theirs</title><script src="/enter.js"></script>';
        event.respondWith(tell("worker " + event.request.url).then(() => new Response(page, { headers: { "Content-Type": "text/html" } })));
      });`;
  }

  // The bridge comes back: the port is free again, what is in the browser stays.
  async leavePort() {
    for (const server of this.servers) await close(server);
    this.servers = [];
  }

  async end() {
    await this.leavePort();
    await close(this.told);
  }
}

async function listen(answer, host, port) {
  const server = http.createServer(answer);
  await new Promise((resolve, reject) => server.once("error", reject).listen({ host, port, ipv6Only: true }, resolve));
  return server;
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

before(async () => {
  stage = await Stage.begin(exampleVault, { embedding: TEXT_ONLY });
  browser = await launch();
  context = await browser.newContext();
  page = await context.newPage();
});

after(async () => {
  await browser?.close();
  await squatter?.end();
  await stage?.end();
});

async function plant(address, scope) {
  await page.goto(`${address}/`);
  assert.equal(await page.title(), "theirs");
  await page.evaluate(async (scope) => {
    localStorage.setItem("theirs", "1");
    const found = await navigator.serviceWorker.register("/worker.js", { scope });
    const worker = found.installing ?? found.waiting ?? found.active;
    while (worker.state !== "activated") await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
  }, scope);
}

test("a worker that another user planted while the bridge was off sees nothing of the sign-in", async () => {
  const old = stage.address;
  const { port } = stage;
  await stage.endBridge();
  squatter = await Squatter.begin(port);
  const planted = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, old];
  for (const address of planted) await plant(address, "/");
  await squatter.leavePort();
  await stage.serve(port);

  for (const address of planted) {
    await page.goto(`${address}/search`); // the attack is real: these addresses are lost
    assert.equal(await page.title(), "theirs");
    assert.ok(squatter.heard.includes(`worker ${address}/search`));
  }
  squatter.heard.length = 0;

  assert.equal(stage.port, port);
  assert.ok(!planted.includes(stage.address));
  const link = await stage.link();
  assert.ok(link.startsWith(`${stage.address}/enter#`));
  await page.goto(link);
  await page.waitForURL(`${stage.address}/search`);
  await page.fill("#question", "which sensor survives rain");
  await page.locator("article").first().waitFor();
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  assert.deepEqual(await page.evaluate(() => navigator.serviceWorker.getRegistrations()), []);
  assert.equal(await page.evaluate(() => localStorage.getItem("theirs")), null);
  const host = new URL(stage.address).host;
  assert.deepEqual((await context.cookies()).map((one) => [one.name, one.domain]), [["ragd_page", host.split(":")[0]]]);
  assert.deepEqual(squatter.heard, []);
});

test("what was left for an old name of the bridge is forgotten when it answers there", async () => {
  const { port } = stage;
  await stage.endBridge();
  const other = await Squatter.begin(port);
  try {
    const reached = `http://localhost:${port}`;
    const elsewhere = await browser.newContext();
    page = await elsewhere.newPage();
    await plant(reached, "/search");
    await other.leavePort();
    await stage.serve(port);
    for (const path of ["/health", "/search", "/"]) { // the worker has the second, the cache the third
      const answer = await page.goto(reached + path);
      assert.equal(answer.status(), 421);
      assert.match(await page.locator("body").innerText(), /The page is not at this address. Run `ragctl open`/);
    }
    assert.deepEqual(other.heard.filter((one) => one.startsWith("worker")), []);
    await elsewhere.close();
  } finally {
    await other.end();
  }
});

test("a bookmark of an earlier run leads to the same view", async () => {
  const fresh = await browser.newContext();
  page = await fresh.newPage();
  const old = "http://raaaaaaaaaaaaaaaaaaaa.localhost:8427/search?q=a%20boat";
  await page.goto(await stage.link(old));
  await page.waitForURL((url) => url.origin === stage.address && url.searchParams.get("q") === "a boat");
  assert.equal(await page.inputValue("#question"), "a boat");
  await page.goto(await stage.link("/coverage"));
  await page.waitForURL(`${stage.address}/coverage`);
  await page.goBack();
  assert.ok(!page.url().includes("enter#"));
  await fresh.close();
});

test("a link leads to no other site", async () => {
  const fresh = await browser.newContext();
  page = await fresh.newPage();
  for (const view of ["//evil.example/", "/\\evil.example/", "/%5c/../..//evil.example"]) {
    await page.goto(await stage.link() + view);
    await page.waitForURL((url) => url.pathname !== "/enter");
    assert.equal(new URL(page.url()).origin, stage.address);
  }
  await fresh.close();
});
