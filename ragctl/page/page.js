// The frame of the page: navigation, and how the daemon is doing. Views do the rest.
import { call } from "./api.js";
import { append, el, replace } from "./dom.js";
import { go, start } from "./router.js";
import { PAGE, STATES } from "./strings.js";

const STATUS_EVERY_MS = 10_000;
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

async function showHealth() {
  if (document.hidden) return;
  const envelope = await call("GET", "/v1/status");
  const state = envelope.error ? "unavailable" : envelope.status;
  const why = envelope.error?.message ?? envelope.data?.reasons?.[0]?.message ?? "";
  health.dataset.state = state;
  replace(health, el("span", { class: "dot", "aria-hidden": "true" }), el("span", {}, PAGE.healthIs(STATES[state])));
  health.title = why;
  dispatchEvent(new CustomEvent("ragd-status", { detail: envelope }));
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
setInterval(showHealth, STATUS_EVERY_MS);
await start();
showHealth();
