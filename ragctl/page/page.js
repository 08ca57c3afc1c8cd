// The frame of the page: navigation, and how the daemon is doing. Views do the rest.
import { call } from "./api.js";
import { append, el, replace } from "./dom.js";
import { go, start } from "./router.js";
import { PAGE, STATES } from "./strings.js";

const STATUS_EVERY_MS = 10_000;
const STATUS_WHILE_DOWN_MS = 2_000;
const VIEWS = ["/search", "/why", "/coverage", "/health", "/facts", "/memories"];

const health = el("a", { class: "health", href: "/health" }, PAGE.asking);

function drawFrame() {
  const links = VIEWS.map((path) => el("li", {}, el("a", { href: path }, PAGE.views[path])));
  const skip = el(
    "button",
    { class: "skip", type: "button", on: { click: () => document.getElementById("main").focus() } },
    PAGE.skip,
  );
  append(document.getElementById("top"), [
    skip,
    el("a", { class: "brand", href: "/search" }, "ragd"),
    el("nav", { "aria-label": PAGE.navigation }, el("ul", {}, links)),
    health,
  ]);
}

let timer;

async function showHealth() {
  clearTimeout(timer);
  if (document.hidden) return;
  const envelope = await call("GET", "/v1/status");
  const state = envelope.data ? envelope.status : "unavailable";
  const why = envelope.error?.message ?? envelope.data?.reasons?.[0]?.message ?? "";
  health.dataset.state = state;
  replace(health, el("span", { class: "dot", "aria-hidden": "true" }), el("span", {}, PAGE.healthIs(STATES[state])));
  health.title = why;
  if (health.dataset.was === "unavailable" && state !== "unavailable") dispatchEvent(new Event("ragd-recovered"));
  health.dataset.was = state;
  timer = setTimeout(showHealth, state === "unavailable" ? STATUS_WHILE_DOWN_MS : STATUS_EVERY_MS);
}

// "/" goes to the search box, as on many sites.
function onKey(event) {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const box = document.getElementById("question");
  if (box) box.focus();
  else go("/search");
}

drawFrame();
addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", showHealth);
addEventListener("ragd-failed", showHealth);
await start();
showHealth();
