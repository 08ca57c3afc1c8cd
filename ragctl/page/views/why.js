// Why a result is where it is, and where a note that was expected fell out.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { address } from "../format.js";
import { cell, dots, errorNotice, notice, say, table, withCode } from "../parts.js";
import { go } from "../router.js";
import { PASSAGE, SENSITIVE, WHY } from "../strings.js";
import { asRequest, readFilters } from "./facets.js";
import { noteAddress } from "./passage.js";

export const title = WHY.title;

const PARTS = Object.keys(WHY.parts);

// The parts of a sum as a bar; a negative part is named, not drawn.
function bar(parts, most) {
  const shown = PARTS.filter((name) => parts[name] > 0.005);
  const text = PARTS.filter((name) => Math.abs(parts[name]) > 0.005)
    .map((name) => `${WHY.parts[name]} ${parts[name].toFixed(2)}`)
    .join(", ");
  return el(
    "div",
    { class: "bar", role: "img", "aria-label": text, title: text },
    shown.map((name) => el("span", { class: `part-${name}`, size: { width: `${(100 * parts[name]) / most}%` } })),
  );
}

const legend = () =>
  el(
    "ul",
    { class: "legend", "aria-label": WHY.legend },
    PARTS.map((name) => el("li", {}, el("span", { class: `swatch part-${name}`, "aria-hidden": "true" }), WHY.parts[name])),
  );

function numbers(evidence, of) {
  const rows = Object.entries(evidence)
    .filter(([, value]) => value !== null)
    .map(([name, value]) =>
      el("tr", {}, el("th", { scope: "row" }, name), cell(typeof value === "number" ? String(Math.round(value * 1e4) / 1e4) : String(value), true)),
    );
  return el("details", {}, el("summary", {}, WHY.numbers), table([WHY.number, { name: WHY.value, right: true }], rows, WHY.numbersOf(of)));
}

function wordList(name, words) {
  if (!words.length) return null;
  return el("p", {}, el("span", { class: "quiet" }, `${name}: `), words.map((word) => [el("span", { class: "word" }, word), " "]));
}

function reasons({ explanation, evidence }, of) {
  if (!explanation) return null;
  return [
    el("ul", { class: "reasons" }, explanation.sentences.map((sentence) => el("li", {}, sentence))),
    wordList(WHY.matched, explanation.matched),
    wordList(WHY.missed, explanation.missing),
    evidence ? numbers(evidence, of) : null,
  ];
}

function resultCard(result, index, most, isMeant) {
  const { evidence, explanation } = result;
  return el(
    "li",
    {},
    el(
      "article",
      { class: isMeant ? "passage meant" : "passage" },
      el(
        "header",
        {},
        el("h3", {}, el("span", { class: "quiet" }, `${index + 1}. `), el("a", { href: noteAddress(result), dir: "auto" }, result.title)),
        dots(result.score, PASSAGE.score(result.score)),
      ),
      el("p", { class: "citation", dir: "auto" }, result.citation),
      explanation ? bar(explanation.parts, most) : null,
      evidence
        ? el("p", { class: "quiet" }, `${WHY.sum(evidence.weight)} · ${WHY.columns.ranks}: ${WHY.ranks(evidence.vector_rank, evidence.text_rank)} · ${WHY.columns.cosine} ${evidence.cosine?.toFixed(2) ?? "–"}`)
        : null,
      el("details", { open: isMeant }, el("summary", {}, PASSAGE.why), reasons(result, `${index + 1}. ${result.citation}`)),
    ),
  );
}

// The steps of a search, up to the one at which the note fell out.
function steps(stage) {
  const failed = stage === "found" ? WHY.steps.length : WHY.steps.findIndex((step) => step.stages.includes(stage));
  const items = WHY.steps.map(({ name }, index) => {
    const [kind, state] = index < failed ? ["ok", WHY.passed] : index === failed ? ["bad", WHY.failed] : ["off", WHY.notReached];
    return el("li", { class: kind }, el("span", { class: "step" }, name), el("span", { class: "quiet" }, state));
  });
  return el("ol", { class: "steps" }, items);
}

function verdict(expected, again) {
  const isFound = expected.stage === "found";
  const facts = [];
  if (expected.rank) facts.push(WHY.place(expected.rank));
  if (expected.passages) facts.push(WHY.passages(expected.passages, expected.vectors));
  return el(
    "section",
    { class: `verdict ${isFound ? "ok" : "warn"}`, "aria-labelledby": "verdict" },
    el("h2", { id: "verdict" }, WHY.verdict),
    el("p", { class: "lead" }, WHY.stages[expected.stage] ?? expected.stage),
    el("p", {}, withCode(expected.reason)),
    expected.suggestion ? el("p", { class: "quiet" }, withCode(expected.suggestion)) : null,
    steps(expected.stage),
    expected.path ? el("p", {}, el("a", { href: address("/note", { path: expected.citation ?? expected.path }), dir: "auto" }, expected.citation ?? expected.path)) : null,
    facts.length ? el("p", { class: "quiet" }, facts.join(" · ")) : null,
    expected.filters.length ? el("p", {}, `${WHY.filters}: `, el("strong", {}, expected.filters.join(", "))) : null,
    expected.candidates.length
      ? el("div", {}, el("p", {}, WHY.candidates), el("ul", { class: "chips" }, expected.candidates.map((path) => el("li", {}, el("a", { class: "chip", href: again(path) }, path)))))
      : null,
    reasons(expected, expected.path),
  );
}

function drawAnswer(body, data, parameters, filters) {
  const question = parameters.get("q");
  const again = (note) => address("/why", { q: question, note, ...filters });
  const weights = data.results.map((result) => PARTS.reduce((sum, name) => sum + Math.max(0, result.explanation?.parts[name] ?? 0), 0));
  const most = Math.max(0.01, ...weights);
  const meant = parameters.get("result");
  replace(
    body,
    data.expected ? verdict(data.expected, again) : null,
    el("h2", {}, WHY.results),
    data.results.length ? legend() : el("p", {}, WHY.none),
    el("ol", { class: "results" }, data.results.map((result, index) => resultCard(result, index, most, result.citation === meant))),
  );
  say(data.expected ? WHY.stages[data.expected.stage] : WHY.results);
  body.querySelector(".meant")?.scrollIntoView({ block: "center" });
}

function form(parameters, filters) {
  const question = el("input", { id: "why-question", type: "text", autocomplete: "off", spellcheck: "false" });
  const note = el("input", { id: "why-note", type: "text", autocomplete: "off", spellcheck: "false", placeholder: WHY.notePlaceholder });
  question.value = parameters.get("q") ?? "";
  note.value = parameters.get("note") ?? "";
  const submit = (event) => {
    event.preventDefault();
    go(address("/why", { q: question.value.trim(), note: note.value.trim(), ...filters }));
  };
  return el(
    "form",
    { class: "panel", on: { submit } },
    el("div", { class: "field" }, el("label", { for: "why-question" }, WHY.question), question),
    el("div", { class: "field" }, el("label", { for: "why-note" }, WHY.note), note),
    el("button", { type: "submit", class: "main", "aria-describedby": "why-effect" }, WHY.ask),
    el("p", { class: "effect", id: "why-effect" }, WHY.asks),
  );
}

export async function show(main, parameters, signal) {
  const filters = readFilters(parameters);
  const body = el("div", {});
  main.append(el("p", { class: "lead" }, WHY.lead), form(parameters, filters), body);
  const question = parameters.get("q");
  if (!question) return undefined;
  const request = { query: question, max_results: 10, ...asRequest(filters) };
  const expected = parameters.get("note");
  const { data, error } = expected
    ? await call("POST", "/v1/explain", { ...request, expect: expected }, signal)
    : await call("POST", "/v1/tools/obsidian_rag_search", { ...request, explain: true }, signal);
  if (!data) replace(body, errorNotice(error));
  else drawAnswer(body, data, parameters, filters);
  if (!data || !error) return undefined;
  const isWithheld = error.code === "SENSITIVE_FILTERED"; // its suggestion is for an assistant
  if (!isWithheld) return body.prepend(notice("warn", error.message, error.suggestion));
  const toSearch = el("a", { href: address("/search", { q: question, ...filters }) }, WHY.withheld);
  const box = el("div", { class: "notice warn" }, el("p", {}, SENSITIVE.withheld(data.withheld)), el("p", {}, toSearch));
  return body.prepend(box);
}
