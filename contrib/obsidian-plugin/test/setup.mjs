// The page and the prototypes that Obsidian gives its plugins; loaded before every test.
import { JSDOM } from "jsdom";

const page = { url: "http://localhost/", pretendToBeVisual: true };
const { window } = new JSDOM("<!doctype html><body></body>", page);
for (const name of Object.getOwnPropertyNames(window)) {
  // Elements accept only events of their own page.
  if (name in globalThis && name !== "Event") continue;
  Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: window[name] });
}

const { setup } = await import("obsidian-test-mocks/setup");
setup();
