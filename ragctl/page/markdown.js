// Markdown of a passage as a reader sees it: elements of a short list, and all text as text. A link
// is shown by its name and leads nowhere.
import { el } from "./dom.js";

const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,})$/;
const DIVIDER = /^\s*\|?\s*:?-{2,}:?\s*\|\s*(?:(?::-*:?|-+:?)\s*)?(?:\|\s*(?:(?::-*:?|-+:?)\s*)?)*$/;
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/;
const QUOTE = /^\s{0,3}(?:>\s?)+/;
const CALLOUT = /^\[!([\w-]+)\][+-]?\s*/;
const TASK = /^(\s*)(?:[-*+]|\d+[.)])\s+\[(.)\]\s+/;
const BULLET = /^(\s*)[-*+]\s+/;
const BLOCK_ID = /\s\^[\w-]+\s*$/;
const LONGEST_LINE = 2000; // a longer one is shown as it is
const DEEPEST = 4;
const INLINE = new RegExp(
  [
    "(?<ticks>`+)(?<code>[^`]+)\\k<ticks>(?!`)",
    "\\\\(?<escaped>[\\\\`*_{}\\[\\]()#+\\-.!|>~=<])",
    "!?\\[\\[(?<target>[^\\[\\]|]+)(?:\\|(?<alias>[^\\[\\]]*))?\\]\\]",
    "!?\\[(?<label>[^\\[\\]]*)\\]\\([^()\\s]*(?:\\([^()\\s]*\\)[^()\\s]*)*(?:\\s+[\"'][^\"']*[\"'])?\\)",
    "\\*\\*(?<strong>(?=[^\\s*])(?:[^*]|\\*(?!\\*))+(?<=\\S))\\*\\*(?!\\*)",
    "(?<!\\w)__(?<strong2>(?=\\S)[^_]+(?<=\\S))__(?!\\w)",
    "~~(?<s>(?=\\S)[^~]+(?<=\\S))~~",
    "==(?<b>(?=\\S)[^=]+(?<=\\S))==",
    "(?<![\\w*])\\*(?<em>(?=[^\\s*])[^*]*(?<=\\S))\\*(?![\\w*])",
    "(?<!\\w)_(?<i>(?=[^\\s_])[^_]*(?<=\\S))_(?!\\w)",
  ].join("|"),
  "gu",
);
const MARKS = { " ": "☐", x: "☑" }; // of tasks; others are shown as they are
const ELEMENTS = { strong: "strong", strong2: "strong", s: "s", b: "b", em: "em", i: "i" }; // by group

// `draw(text)` makes nodes of plain text, for example with some words marked.
function inline(text, draw, depth = 0) {
  if (depth >= DEEPEST) return draw(text);
  const parts = [];
  let done = 0;
  for (const found of text.matchAll(INLINE)) {
    const { groups } = found;
    parts.push(draw(text.slice(done, found.index)));
    done = found.index + found[0].length;
    const name = Object.keys(ELEMENTS).find((one) => groups[one] !== undefined);
    if (name) parts.push(el(ELEMENTS[name], {}, inline(groups[name], draw, depth + 1)));
    else if (groups.code !== undefined) parts.push(el("code", {}, draw(groups.code)));
    else if (groups.target !== undefined) parts.push(draw(groups.alias || groups.target.replaceAll("#", " › ")));
    else if (groups.label !== undefined) parts.push(inline(groups.label, draw, depth + 1));
    else parts.push(draw(groups.escaped));
  }
  return [...parts, draw(text.slice(done))];
}

function drawLine(whole, draw) {
  let line = whole.replace(BLOCK_ID, "");
  const heading = HEADING.exec(line);
  if (heading) return el("strong", { class: "heading" }, inline(heading[1], draw));
  const parts = [];
  const quote = QUOTE.exec(line);
  if (quote) {
    line = line.slice(quote[0].length);
    const callout = CALLOUT.exec(line);
    if (callout) line = line.slice(callout[0].length) || callout[1];
    parts.push("│ ");
  }
  const task = TASK.exec(line);
  const bullet = task ? null : BULLET.exec(line);
  if (task) parts.push(`${task[1]}${MARKS[task[2].toLowerCase()] ?? `[${task[2]}]`} `);
  if (bullet) parts.push(`${bullet[1]}• `);
  return [parts, inline(line.slice((task ?? bullet)?.[0].length ?? 0), draw)];
}

// The nodes of a passage. Fences and rules have no text, so they are left out; what is between
// fences stays as it is.
export function drawMarkdown(text, draw) {
  const shown = [];
  let fence = ""; // the signs that opened a block of code
  for (const line of text.split("\n")) {
    const found = FENCE.exec(line)?.[1];
    const isEnd = fence && found?.startsWith(fence) && line.trim() === found;
    if (isEnd) fence = "";
    else if (found && !fence) fence = found;
    else if (fence) shown.push(el("code", {}, draw(line)));
    else if (line.length > LONGEST_LINE) shown.push(draw(line));
    else if (!RULE.test(line) && !DIVIDER.test(line)) shown.push(drawLine(line, draw));
  }
  return shown.flatMap((one, index) => (index ? ["\n", one] : [one]));
}
