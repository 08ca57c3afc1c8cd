// Numbers, times and addresses as a person reads them. Pure.
import { WORDS } from "./strings.js";

const NUMBER = new Intl.NumberFormat("en");
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export const number = (value) => NUMBER.format(value ?? 0);

export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 1) return "<1 %";
  return `${value > 99 && value < 100 ? 99 : Math.round(value)} %`;
}

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  return value < 1e6 ? `${Math.round(value / 1e3)} kB` : `${Math.round(value / 1e6)} MB`;
}

export function moment(text) {
  if (!text) return "–";
  const when = new Date(text);
  return Number.isNaN(when.getTime()) ? String(text) : `${DAY.format(when)}, ${TIME.format(when)}`;
}

export const clock = (text) => TIME.format(new Date(text));
export const day = (text) => DAY.format(new Date(text));

export function duration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

export function ago(text, now = Date.now()) {
  if (!text) return WORDS.never;
  const passed = now - new Date(text).getTime();
  return passed < 1500 ? WORDS.justNow : WORDS.ago(duration(Math.max(0, passed)));
}

// An address of a view, with the parameters that are set. A list gives one parameter for each entry.
export function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    for (const one of [value].flat()) if (one || one === 0) query.append(name, one);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

// Obsidian opens a note at a heading: `file=Note.md%23Heading`. Signs that it ignores are left out.
export function obsidianAddress(link, kind, section) {
  if (!link?.startsWith("obsidian://open?")) return null;
  const heading = (section ?? "").replace(/[#|^:%[\]\\]/g, " ").replace(/\s+/g, " ").trim();
  return kind === "markdown" && heading ? `${link}%23${encodeURIComponent(heading)}` : link;
}
