// A fact of the log as a sentence, and its fields. Pure, apart from making elements.
import { el } from "./dom.js";
import { moment } from "./format.js";
import { FACTS } from "./strings.js";

const LISTED = 20;

export function factSentence(event) {
  const sentence = FACTS.sentences[event.type];
  if (!sentence) return event.type;
  try {
    return sentence(event.until ? { ...event, until: moment(event.until) } : event);
  } catch {
    return event.type; // a fact of a later version may lack a field
  }
}

function shown(value) {
  if (Array.isArray(value)) {
    const parts = value.slice(0, LISTED).map((one) => el("li", {}, one !== null && typeof one === "object" ? JSON.stringify(one) : String(one)));
    const rest = value.length - parts.length;
    return el("ul", {}, parts, rest > 0 ? el("li", { class: "quiet" }, FACTS.more(rest)) : null);
  }
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function factDetails(record) {
  const { type, ...fields } = record.event;
  const rows = [
    [FACTS.fields.seq, String(record.seq)],
    [FACTS.fields.time, moment(record.ts)],
    [FACTS.fields.actor, record.actor],
    [FACTS.fields.cause, record.cause === null ? FACTS.noCause : String(record.cause)],
    ...Object.entries(fields).map(([name, value]) => [name, shown(value)]),
  ];
  return el("dl", { class: "fields" }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", { dir: "auto" }, value)]));
}
