// Parts that several views use: notices, veils over sensitive text, buttons that ask first.
import { el, replace } from "./dom.js";
import { markedParts } from "./highlight.js";
import { BUTTONS, SENSITIVE } from "./strings.js";

// Text with `commands` in backticks, as messages of the daemon have them.
export function withCode(text) {
  return String(text ?? "")
    .split(/`([^`\n]+)`/)
    .map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

export function notice(kind, message, suggestion) {
  return el(
    "div",
    { class: `notice ${kind}` },
    el("p", {}, withCode(message)),
    suggestion ? el("p", { class: "quiet" }, withCode(suggestion)) : null,
  );
}

export const errorNotice = (error) => notice("bad", error.message, error.suggestion);

// Read out by a screen reader, and not shown.
export function say(text) {
  document.getElementById("said").textContent = text;
}

export function marked(text, words) {
  return markedParts(text, words).map((part) => (part.marked ? el("mark", {}, part.text) : part.text));
}

export const kindsInWords = (kinds) => kinds.map((kind) => SENSITIVE.kinds[kind] ?? kind).join(", ");

// Sensitive text is not in the page until it is asked for: what is blurred has only its length.
export function veil(kinds, text, makeContent) {
  if (!kinds?.length) return makeContent();
  const box = el("div", { class: "veil" });
  const shape = "xxxxx xxx xxxxxxx xx xxxx xxxxxxxx xxx ".repeat(20).slice(0, Math.min(280, text.length));
  const button = el(
    "button",
    {
      type: "button",
      class: "small",
      on: {
        click: () => {
          const shown = el("div", { tabindex: -1 }, makeContent());
          replace(box, shown);
          box.classList.add("lifted");
          shown.focus();
        },
      },
    },
    SENSITIVE.show(kindsInWords(kinds)),
  );
  replace(box, el("p", { class: "blurred", "aria-hidden": "true" }, shape), button);
  return box;
}

// A button with what it will do below it. `confirm`: it asks a second time, with these words.
// `brief`: what it will do is shown when it asks; until then it is the button's description.
export function actionButton({ label, effect, confirm, kind, brief, named, run }) {
  const id = `effect-${crypto.randomUUID()}`;
  const result = el("p", { class: "result", role: "status" });
  const buttons = el("div", { class: "row" });
  const said = el("p", { id }, withCode(effect));
  // While it runs, a click does nothing. A button that is really disabled would lose the focus.
  let isRunning = false;
  const finish = async () => {
    if (isRunning) return;
    isRunning = true;
    for (const one of buttons.children) one.setAttribute("aria-disabled", "true");
    try {
      replace(result, await run());
    } finally {
      isRunning = false;
      const isFocused = buttons.contains(document.activeElement);
      offer();
      if (isFocused) first.focus({ preventScroll: true });
    }
  };
  const first = el(
    "button",
    {
      type: "button",
      class: kind ?? "",
      "aria-label": named,
      "aria-describedby": id,
      title: brief ? effect : null,
      on: { click: () => (confirm ? ask() : finish()) },
    },
    label,
  );
  const ask = () => {
    const yes = el("button", { type: "button", class: "danger", "aria-describedby": id, on: { click: finish } }, confirm);
    const no = el("button", { type: "button", on: { click: () => isRunning || offer() || first.focus() } }, BUTTONS.cancel);
    replace(buttons, yes, no);
    said.className = "effect";
    yes.focus();
  };
  const offer = () => {
    first.removeAttribute("aria-disabled");
    said.className = brief ? "unseen" : "effect";
    replace(buttons, first);
  };
  offer();
  return el("div", { class: "action" }, buttons, said, result);
}

export function table(headings, rows, caption) {
  const head = headings.map((one) => el("th", { scope: "col", class: one.right ? "right" : null }, one.name ?? one));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, rows),
    ),
  );
}

export const cell = (content, right) => el("td", { class: right ? "right" : null }, content);

// A number of 0 to 5 filled dots for a score of 0 to 1.
export function dots(score, label) {
  const filled = Math.max(0, Math.min(5, Math.round(score * 5)));
  return el("span", { class: "dots", role: "img", "aria-label": label, title: label }, "●".repeat(filled) + "○".repeat(5 - filled));
}

export const when = (text, shown, full) => el("time", { datetime: text, title: full ?? text }, shown);
