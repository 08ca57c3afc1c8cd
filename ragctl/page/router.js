// Which view an address names. A view is a module with `title` and `show(main, parameters, signal)`;
// `signal` ends what the view has started when another one is shown.
import { call } from "./api.js";
import { el, replace } from "./dom.js";
import { errorNotice } from "./parts.js";
import { PAGE } from "./strings.js";

const VIEWS = {
  "/search": () => import("./views/search.js"),
  "/why": () => import("./views/why.js"),
  "/coverage": () => import("./views/coverage.js"),
  "/health": () => import("./views/health.js"),
  "/facts": () => import("./views/facts.js"),
  "/memories": () => import("./views/memories.js"),
  "/note": () => import("./views/note.js"),
};
const PAUSE_MS = 400;
let running = new AbortController();
const mainPart = () => document.getElementById("main");

const pathOf = (pathname) => (pathname === "/" ? "/search" : pathname.replace(/\/+$/, ""));

// Show the view of the current address. After a click, its heading gets the focus.
async function show(isNavigation) {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const path = pathOf(location.pathname);
  const main = mainPart();
  for (const link of document.querySelectorAll("nav a")) {
    const isCurrent = link.getAttribute("href") === path;
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const load = VIEWS[path];
  if (!load) {
    document.title = PAGE.title(PAGE.notFound);
    replace(main, el("h1", { tabindex: -1 }, PAGE.notFound), el("p", {}, el("a", { href: "/search" }, PAGE.toSearch)));
    return;
  }
  const view = await load().catch(() => null);
  if (signal.aborted) return;
  if (!view) return showFailure(main, signal);
  document.title = PAGE.title(view.title);
  main.dataset.view = path.slice(1);
  replace(main, el("h1", { tabindex: -1, class: view.quiet ? "unseen" : null }, view.title));
  // What a view has not finished when another one is shown is not an error.
  Promise.resolve(view.show(main, new URLSearchParams(location.search), signal)).catch((why) => {
    if (!signal.aborted) throw why;
  });
  if (isNavigation) {
    window.scrollTo(0, 0);
    if (!view.takesFocus) main.querySelector("h1").focus();
  }
}

// The view's module did not come: this browser was signed out, or the bridge ended.
async function showFailure(main, signal) {
  const { error } = await call("GET", "/v1/status");
  if (signal.aborted) return;
  document.title = PAGE.title(PAGE.notLoaded);
  replace(main, el("h1", { tabindex: -1 }, PAGE.notLoaded), errorNotice(error ?? PAGE.noBridge));
  main.querySelector("h1").focus();
}

export function go(address) {
  flush(); // so that going back leads to what was shown
  history.pushState(null, "", address);
  return show(true);
}

// The same view with other parameters: typing a question adds nothing to the history. Browsers limit
// how often an address may change, so while it changes quickly, only the last one is kept.
let pending = null;
let timer = null;
let changedAt = -Infinity;

function flush() {
  clearTimeout(timer);
  timer = null;
  if (pending === null) return;
  history.replaceState(null, "", pending);
  changedAt = performance.now();
  pending = null;
}

export function stay(address) {
  pending = address;
  if (performance.now() - changedAt > PAUSE_MS) flush();
  else timer ??= setTimeout(flush, PAUSE_MS);
}

export function start() {
  addEventListener("popstate", () => {
    pending = null; // it belongs to the view that is left
    show(true);
  });
  addEventListener("ragd-recovered", () => {
    if (mainPart().dataset.view !== "search" && mainPart().querySelector(".notice.bad")) show(false); // search asks again itself
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || !link.getAttribute("href").startsWith("/")) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  return show(false);
}
