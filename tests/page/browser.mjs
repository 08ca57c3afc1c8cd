// A real Chromium with the page open and signed in. It notes everything that must not happen: a
// dialog, an error, a request to another site, a blocked script.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const SHOTS = path.join(HERE, "shots");
// The package unpacks its browser in the folder for temporary files: keep that in the clone.
const UNPACKED = path.join(HERE, "node_modules", ".chromium");

const WITHIN_MS = 60_000;

// Nothing but this machine can be reached, and only what a test blocks is reported as blocked.
const SWITCHES = [
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-pings",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
];

// Several files of tests start at once, and one may be interrupted: the folder appears when it is whole.
async function unpack() {
  if (existsSync(path.join(UNPACKED, "chromium"))) return;
  const folder = await mkdtemp(`${UNPACKED}-`);
  const environment = { ...process.env, TMPDIR: folder };
  await promisify(execFile)(process.execPath, [path.join(HERE, "unpack.mjs")], { env: environment });
  await rename(folder, UNPACKED).catch(async (why) => {
    await rm(folder, { recursive: true });
    if (!existsSync(path.join(UNPACKED, "chromium"))) throw why;
  });
}

export async function launch() {
  await unpack();
  await mkdir(SHOTS, { recursive: true });
  const before = process.env.TMPDIR;
  process.env.TMPDIR = UNPACKED;
  const { default: packed } = await import("@sparticuz/chromium");
  const { chromium } = await import("playwright-core");
  const executablePath = await packed.executablePath();
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  return chromium.launch({ executablePath, args: SWITCHES, headless: true });
}

export class Visit {
  // A new browser profile that is signed in to the page of this stage.
  static async begin(browser, stage, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", ...options });
    const visit = new Visit();
    visit.stage = stage;
    visit.context = context;
    visit.wrong = [];
    context.setDefaultTimeout(WITHIN_MS);
    visit.page = await context.newPage();
    await visit.observe();
    await visit.page.goto(await stage.link());
    await visit.page.waitForURL((url) => url.pathname === "/search");
    return visit;
  }

  async observe() {
    const { page, wrong, stage } = this;
    page.on("dialog", (dialog) => {
      wrong.push(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("pageerror", (error) => wrong.push(`an error: ${error.stack}`));
    page.on("popup", (popup) => wrong.push(`a window: ${popup.url()}`));
    page.on("console", (message) => {
      if (message.text().startsWith("Failed to load resource")) return; // a refused call
      if (message.type() === "error" || message.type() === "warning") wrong.push(`console: ${message.text()}`);
    });
    this.context.on("request", (request) => {
      if (!request.url().startsWith(`${stage.address}/`)) wrong.push(`a request to ${request.url()}`);
    });
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`blocked: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
  }

  async open(address) {
    await this.page.goto(this.stage.address + address);
    await this.page.waitForSelector("main h1", { state: "attached" });
    return this.page;
  }

  // Open everything that is folded, but not every fact.
  async unfold() {
    await this.page.evaluate(() => {
      for (const one of document.querySelectorAll("main details:not([open])")) if (!one.closest(".fact:nth-child(n + 9)")) one.open = true;
    });
  }

  shot(name) {
    return this.page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  async end() {
    await this.context.close();
  }
}
