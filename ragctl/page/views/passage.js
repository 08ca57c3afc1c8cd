// One result of a search: the passage, where it is from, how fresh and how sensitive it is.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { address, obsidianAddress } from "../format.js";
import { markedParts } from "../highlight.js";
import { drawMarkdown } from "../markdown.js";
import { dots, errorNotice, marked, veil, withCode } from "../parts.js";
import { NOTE, PASSAGE } from "../strings.js";
import { drawLines } from "./note_lines.js";

const CONTEXT_LINES = 6;
const LONG_CHARS = 700;
const PROPERTY = /^(?:[^\s:#][^:]*:|\s+\S|- )/;

export const noteAddress = (result) =>
  address("/note", {
    path: result.source_file,
    ...(result.position ? { place: result.position } : { from: result.start_line, to: result.end_line }),
  });

function flags(result) {
  const shown = [];
  const flag = (kind, ...content) => shown.push(el("li", { class: kind }, content));
  const newer = result.superseded_by || result.maybe_newer;
  if (newer) {
    const text = result.superseded_by ? PASSAGE.newer : PASSAGE.maybeNewer;
    flag("warn", text, " ", el("a", { href: address("/note", { path: newer }) }, newer));
  }
  if (result.stale) flag("warn", PASSAGE.stale);
  if (result.unverified) flag("warn", PASSAGE.unverified);
  if (result.injection_suspected) flag("warn", PASSAGE.instruction);
  if (result.via) flag("info", PASSAGE.via(result.via));
  if (result.also_in_total) flag("info", PASSAGE.alsoIn(result.also_in_total, result.also_in));
  if (result.context) flag("info", result.context);
  return shown.length ? el("ul", { class: "flags" }, shown) : null;
}

// The text without the properties at the start of a note, as in Obsidian's reading view. They stay
// if there is nothing else, or if one of them has a word of the question that the rest does not have.
function withoutProperties(result, words) {
  const text = result.chunk_text;
  const end = text.indexOf("\n\n");
  if (end < 0 || result.chunk_index !== 0 || result.start_line !== 2) return text;
  const [properties, rest] = [text.slice(0, end), text.slice(end).trim()];
  if (!rest || !properties.split("\n").every((line) => PROPERTY.test(line))) return text;
  const matches = (one, word) => markedParts(one, [word]).some((part) => part.marked);
  const saysMore = words.some((word) => matches(properties, word) && !matches(`${result.title}\n${rest}`, word));
  return saysMore ? text : rest;
}

function passageText(result, words) {
  const shown = withoutProperties(result, words);
  const text = drawMarkdown(shown, (plain) => marked(plain, words));
  const content = el("div", { class: "text", dir: "auto" }, text);
  if (shown.length <= LONG_CHARS) return content;
  content.classList.add("cut");
  const more = el(
    "button",
    {
      type: "button",
      class: "plain",
      "aria-expanded": "false",
      on: {
        click: () => {
          const isCut = content.classList.toggle("cut");
          more.setAttribute("aria-expanded", String(!isCut));
          more.textContent = isCut ? PASSAGE.more : PASSAGE.less;
        },
      },
    },
    PASSAGE.more,
  );
  return [content, more];
}

function freshness(result) {
  if (result.date) return el("time", { datetime: result.date }, result.date);
  return result.file_date ? el("span", { title: PASSAGE.fileDate }, PASSAGE.changed(result.file_date)) : null;
}

// A part that is made when it is opened for the first time: typing draws many that nobody opens.
function onDemand(kind, name, make) {
  const box = el("div", {});
  const details = el("details", { class: kind }, el("summary", {}, name), box);
  details.addEventListener("toggle", () => details.open && !box.childElementCount && make(box));
  return details;
}

// The lines before and after the passage.
async function showSurroundings(box, result) {
  const lines = result.position
    ? { place: result.position }
    : { from: Math.max(1, result.start_line - CONTEXT_LINES), to: result.end_line + CONTEXT_LINES };
  const { data, error } = await call("GET", address("/v1/notes", { path: result.source_file, raw: 1, ...lines }));
  if (!data?.text) replace(box, errorNotice(error ?? { message: NOTE.empty }));
  else replace(box, veil(data.sensitive, data.text, () => drawLines(data, result.start_line, result.end_line)));
}

function showReasons(box, result, why) {
  replace(
    box,
    el("ul", {}, result.explanation.sentences.map((sentence) => el("li", {}, sentence))),
    el("p", {}, el("a", { href: why }, PASSAGE.whyMore)),
  );
}

export function drawPassage(result, { words, why, addFilter }) {
  const opened = obsidianAddress(result.link, result.kind, result.section);
  const tags = result.tags.map((tag) =>
    el("button", { type: "button", class: "tag", title: PASSAGE.onlyTag(tag), on: { click: () => addFilter("tag", tag, true) } }, tag),
  );
  const heading = result.heading_path && result.heading_path !== result.title
    ? el("p", { class: "path", dir: "auto" }, result.heading_path.split(" > ").join(" › "))
    : null;
  return el(
    "li",
    {},
    el(
      "article",
      { class: "passage", "data-citation": result.citation },
      el(
        "header",
        {},
        el("h2", {}, el("a", { href: noteAddress(result), dir: "auto" }, result.title)),
        dots(result.score, PASSAGE.score(result.score)),
      ),
      heading,
      veil(result.sensitive, result.chunk_text, () => passageText(result, words)),
      flags(result),
      el(
        "footer",
        {},
        el("span", { class: "citation", dir: "auto" }, result.citation),
        freshness(result),
        result.collection === "vault" ? null : el("span", { class: "badge" }, result.collection),
        tags,
        opened ? el("a", { class: "outside", href: opened, rel: "noreferrer" }, PASSAGE.obsidian) : null,
      ),
      el(
        "div",
        { class: "more" },
        onDemand("around", PASSAGE.around, (box) => showSurroundings(box, result)),
        result.explanation ? onDemand("because", PASSAGE.why, (box) => showReasons(box, result, why)) : null,
      ),
    ),
  );
}

export function drawMemory(memory) {
  return el(
    "li",
    { class: "memory" },
    el("strong", {}, memory.key),
    veil(memory.sensitive, memory.value, () => el("p", { dir: "auto" }, memory.value)),
    memory.stale ? el("p", { class: "quiet" }, withCode(PASSAGE.staleMemory)) : null,
  );
}
