// Search as you type. The address holds the question and the filters, so it can be kept or shared.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { address, ago, duration, number, percent } from "../format.js";
import { wordsToMark } from "../highlight.js";
import { errorNotice, notice, say, withCode } from "../parts.js";
import { stay } from "../router.js";
import { SEARCH, SENSITIVE } from "../strings.js";
import { asRequest, drawChips, Facets, isFiltered, readFilters } from "./facets.js";
import { drawMemory, drawPassage } from "./passage.js";

const RESULTS = 10;
const MORE_RESULTS = 30;
const SLOW_MS = 300;
const AT_ONCE = 2; // requests; a third waits, and only the newest question is kept

export const title = SEARCH.title;
export const quiet = true;
export const takesFocus = true;

class SearchView {
  constructor(main, parameters, signal) {
    this.signal = signal;
    this.filters = readFilters(parameters);
    this.max = Number(parameters.get("max")) || RESULTS;
    this.open = 0;
    this.newest = 0;
    this.isWaiting = false;
    this.change = this.change.bind(this);
    this.facets = new Facets(this.change, signal);
    this.box = el("input", {
      id: "question",
      type: "search",
      name: "q",
      placeholder: SEARCH.placeholder,
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      "aria-label": SEARCH.label,
      "aria-describedby": "summary",
      maxlength: 2000,
    });
    this.box.value = parameters.get("q") ?? "";
    this.chips = el("div", {});
    this.summary = el("p", { id: "summary", class: "summary" });
    this.results = el("div", {});
    const form = el("form", { role: "search", class: "searchbox" }, this.box);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    this.box.addEventListener("input", () => this.ask());
    main.append(
      form,
      el("div", { class: "columns" }, el("div", { class: "wide" }, this.chips, this.summary, this.results), this.facets.box),
    );
    main.addEventListener("keydown", (event) => this.moveByKey(event), { signal });
    addEventListener("ragd-recovered", () => this.ask(), { signal });
    this.facets.update(this.filters, []);
    this.box.focus();
    this.ask();
  }

  change(name, value, isSet) {
    if (Array.isArray(this.filters[name])) {
      const others = this.filters[name].filter((one) => one !== value);
      this.filters[name] = isSet ? [...others, value] : others;
    } else {
      this.filters[name] = isSet ? value : "";
    }
    this.ask();
  }

  parameters() {
    const max = this.max === RESULTS ? null : this.max;
    return { q: this.box.value.trim(), ...this.filters, max };
  }

  // Send the question, unless enough are on their way; then it is sent when one of them is back.
  async ask(confirm) {
    const question = this.box.value.trim();
    const body = { query: question, max_results: this.max, explain: true, ...asRequest(this.filters) };
    if (confirm) body.confirm = confirm;
    stay(address("/search", this.parameters()));
    if (!question && !isFiltered(this.filters)) return this.showNothing();
    if (!question) body.query = this.queryOfFilters();
    if (this.open >= AT_ONCE && !confirm) {
      this.isWaiting = true;
      return;
    }
    const turn = ++this.newest;
    this.open += 1;
    const slow = setTimeout(() => this.results.childElementCount || replace(this.summary, SEARCH.searching), SLOW_MS);
    let envelope;
    try {
      envelope = await call("POST", "/v1/tools/obsidian_rag_search", body, this.signal);
    } catch {
      return; // another view is shown
    } finally {
      this.open -= 1;
      clearTimeout(slow);
    }
    if (turn === this.newest) this.show(question, envelope);
    if (this.isWaiting) {
      this.isWaiting = false;
      this.ask();
    }
  }

  // Filters without a question list notes; the query language can say each of them.
  queryOfFilters() {
    const quoted = (value) => (/[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value);
    const words = [
      ...this.filters.tag.map((tag) => `tag:${quoted(tag.replace(/^#/, ""))}`),
      ...this.filters.folder.map((folder) => `folder:${quoted(folder)}`),
      ...this.filters.prop.map((prop) => `prop:${prop.replace(/^([^=<>!]*[=<>!]+)(.*)$/, (_, start, value) => start + quoted(value))}`),
      ...this.filters.collection.map((name) => `collection:${quoted(name)}`),
    ];
    if (words.length) return words.join(" ");
    return `from ${this.filters.from || "1900-01-01"} to ${this.filters.to || "2100-01-01"}`;
  }

  showNothing() {
    this.newest += 1;
    replace(this.chips, drawChips(this.filters, this.change));
    replace(this.summary);
    clearTimeout(this.later);
    this.facets.update(this.filters, []);
    replace(
      this.results,
      el(
        "div",
        { class: "empty" },
        el("p", { class: "lead" }, SEARCH.empty),
        el("ul", {}, SEARCH.examples.map((example) => el("li", {}, withCode(example)))),
        el("p", { class: "quiet" }, withCode(SEARCH.keys)),
      ),
    );
  }

  show(question, { data, error, meta }) {
    replace(this.chips, drawChips(this.filters, this.change));
    const results = data?.results ?? [];
    clearTimeout(this.later);
    this.later = setTimeout(() => this.facets.update(this.filters, results)); // the results come first
    replace(this.summary, data ? this.summarise(results, meta) : null);
    const words = wordsToMark(question);
    const why = (citation) => address("/why", { ...this.parameters(), result: citation });
    const list = results.map((result) =>
      drawPassage(result, { words, why: why(result.citation), addFilter: this.change }),
    );
    replace(
      this.results,
      error && !data ? errorNotice(error) : null,
      error && data && error.code !== "SENSITIVE_FILTERED" ? notice("warn", error.message, error.suggestion) : null,
      data ? this.notices(data, meta) : null,
      data?.memories.length
        ? el("section", { class: "memories", "aria-label": SEARCH.remembered }, el("h2", {}, SEARCH.remembered), el("ul", {}, data.memories.map(drawMemory)))
        : null,
      el("ol", { class: "results", "aria-label": SEARCH.results }, list),
      data ? this.afterwards(results) : null,
    );
    if (data) say(SEARCH.said(results.length));
  }

  summarise(results, meta) {
    const how = SEARCH.retrieval[meta.retrieval] ?? meta.retrieval;
    const parts = [SEARCH.count(results.length), SEARCH.of(number(meta.chunks_scanned)), how, duration(meta.query_time_ms)];
    if (meta.embedded_share < 1) parts.push(SEARCH.embedded(percent(meta.embedded_share)));
    return parts.join(" · ");
  }

  notices(data, meta) {
    const shown = [];
    if (data.withheld) shown.push(this.withheld(data));
    if (meta.stale_since) shown.push(notice("warn", SEARCH.stale(ago(meta.stale_since))));
    if (meta.unindexed_files) shown.push(notice("info", SEARCH.unindexed(number(meta.unindexed_files))));
    if (data.results.length && !data.answered) shown.push(notice("warn", SEARCH.unanswered));
    else if (data.unsure) shown.push(notice("warn", SEARCH.unsure));
    for (const line of (data.hint ?? "").split("\n").filter(Boolean)) shown.push(notice("info", line));
    for (const one of data.corrections) shown.push(notice("info", SEARCH.corrected(one.word, one.used.join(", "))));
    const understood = [...(data.understood.time?.phrases ?? []).map((one) => SEARCH.time(one)), ...data.understood.filters];
    if (understood.length) shown.push(el("p", { class: "quiet" }, SEARCH.understood(understood.join("; "))));
    return shown;
  }

  withheld(data) {
    const again = () => this.ask(data.confirm);
    const button = data.confirm ? el("button", { type: "button", on: { click: again } }, SENSITIVE.consent) : null;
    return el("div", { class: "notice warn" }, el("p", {}, SENSITIVE.withheld(data.withheld)), button);
  }

  afterwards(results) {
    const expected = el("a", { href: address("/why", this.parameters()) }, SEARCH.missing);
    const more = () => {
      this.max = MORE_RESULTS;
      this.ask();
    };
    const isFull = results.length === this.max && this.max < MORE_RESULTS;
    return el(
      "p",
      { class: "row after" },
      isFull ? el("button", { type: "button", on: { click: more } }, SEARCH.more(MORE_RESULTS)) : null,
      expected,
    );
  }

  // Arrow keys move from the box to the titles and back.
  moveByKey(event) {
    if (event.key === "Escape" && event.target !== this.box) return this.box.focus();
    const isMove = event.key === "ArrowDown" || event.key === "ArrowUp";
    const titles = [...this.results.querySelectorAll("article h2 a")];
    const at = event.target === this.box ? -1 : titles.indexOf(event.target);
    if (!isMove || !titles.length || (at < 0 && event.target !== this.box)) return undefined;
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    if (next < 0) return this.box.focus();
    return titles[Math.min(next, titles.length - 1)].focus();
  }
}

export function show(main, parameters, signal) {
  new SearchView(main, parameters, signal);
}
