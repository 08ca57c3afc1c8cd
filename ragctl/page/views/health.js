// How ragd is now, what happened in the last days, and the state at any moment of them.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { factSentence } from "../fact_text.js";
import { address, ago, bytes, duration, moment, number, percent } from "../format.js";
import { cell, errorNotice, notice, say, table, when, withCode } from "../parts.js";
import { stay } from "../router.js";
import { HEALTH, STATES } from "../strings.js";
import { drawTimeline, edges, healthSpans, placeOf, withinLog } from "./timeline.js";

export const title = HEALTH.title;

const STEPS = 2000; // of the slider
const ROWS_SHOWN = 15;
const FOCUSED = "a[href], summary, [tabindex]";
const REST_MS = 300; // the slider rests: now the whole state is asked for

const meaningOf = (messages, code) => messages.find((one) => one.code === code)?.message ?? code;
const share = (some, all) => (all ? percent(some / all) : "–");

function figures(pairs) {
  return el("dl", { class: "figures" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function headline(state, inWords = HEALTH.is) {
  return el("p", { class: "now", "data-state": state }, el("span", { class: "dot", "aria-hidden": "true" }), inWords(STATES[state] ?? state));
}

function collectionTable(collections) {
  const rows = collections.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: address("/coverage", { collection: one.name }) }, one.name)),
      cell(el("span", { class: `state ${one.state === "ok" ? "ok" : "bad"}` }, one.state)),
      cell(number(one.notes), true),
      cell(number(one.passages), true),
      cell(number(one.waiting), true),
      cell(number(one.held), true),
      cell(one.last_sync ? when(one.last_sync, ago(one.last_sync), moment(one.last_sync)) : "–"),
    ),
  );
  const headings = HEALTH.collectionColumns.map((name, index) => (index > 1 && index < 6 ? { name, right: true } : name));
  return el("section", {}, el("h3", {}, HEALTH.collections), table(headings, rows, HEALTH.collections));
}

function actorTable(actors) {
  const rows = actors.map((one) => el("tr", {}, el("th", { scope: "row" }, one.name), cell(one.state), cell(number(one.crashes), true)));
  return el("details", {}, el("summary", {}, HEALTH.parts), table([...HEALTH.partColumns.slice(0, 2), { name: HEALTH.partColumns[2], right: true }], rows, HEALTH.parts));
}

function drawNow(envelope) {
  const { data, error } = envelope;
  if (!data) return [headline("unavailable"), errorNotice(error)];
  const names = HEALTH.figures;
  return [
    headline(envelope.status),
    data.reasons.length
      ? data.reasons.map((reason) => notice(reason.status === "unavailable" ? "bad" : "warn", reason.message, reason.suggestion))
      : el("p", { class: "quiet" }, HEALTH.fine),
    data.paused ? notice("info", HEALTH.paused(moment(data.paused.until))) : null,
    data.active_job ? notice("info", HEALTH.job(data.active_job.mode)) : null,
    data.needs_restart.length ? notice("info", HEALTH.restart(data.needs_restart.join(", "))) : null,
    figures([
      [names.notes, number(data.total_docs)],
      [names.passages, number(data.total_chunks)],
      [names.vectors, share(data.chunks_embedded, data.total_chunks)],
      [names.waiting, number(data.unindexed_files)],
      [names.sync, ago(data.last_sync)],
      [names.up, duration(1000 * data.uptime_s)],
      [names.memory, bytes(data.process?.memory_bytes)],
    ]),
    data.index ? el("p", { class: "quiet" }, HEALTH.model(data.index.model, data.index.provider, data.index.dimensions)) : null,
    collectionTable(data.collections),
    actorTable(data.actors),
  ];
}

// A list that begins short: the newest rows, and a button for the others.
function longTable(headings, rows, caption) {
  const made = table(headings, rows.slice(0, ROWS_SHOWN), caption);
  if (rows.length <= ROWS_SHOWN) return made;
  const more = el("button", { type: "button" }, HEALTH.more(number(rows.length)));
  more.addEventListener("click", () => {
    made.querySelector("tbody").append(...rows.slice(ROWS_SHOWN));
    more.remove();
  });
  return [made, more];
}

function changeTable(data) {
  if (!data.changes.length) return el("p", { class: "quiet" }, HEALTH.noChanges);
  const rows = [...data.changes].reverse().map((change) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: address("/health", { at: change.ts }) }, moment(change.ts))),
      cell(el("span", { class: `state ${change.after === "healthy" ? "ok" : change.after === "degraded" ? "warn" : "bad"}` }, STATES[change.after])),
      cell(change.reasons.map((code) => el("p", {}, withCode(meaningOf(data.messages, code))))),
      cell(el("span", { dir: "auto" }, withCode(factSentence(change.cause.event)))),
    ),
  );
  return longTable(HEALTH.changeColumns, rows, HEALTH.changes);
}

function jobTable(data) {
  if (!data.jobs.length) return el("p", { class: "quiet" }, HEALTH.noJobs);
  const rows = [...data.jobs].reverse().map((job) => {
    const began = job.started_at ?? job.requested_at;
    const ended = job.ended_at ?? job.finished_at;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: address("/health", { at: began }) }, moment(began))),
      cell([job.mode, el("span", { class: "badge" }, job.asked ? HEALTH.asked : HEALTH.own)]),
      cell(ended ? duration(new Date(ended) - new Date(began)) : "–", true),
      cell(number(job.indexed_files), true),
      cell(job.outcome ?? HEALTH.running),
    );
  });
  const headings = HEALTH.jobColumns.map((name, index) => (index === 2 || index === 3 ? { name, right: true } : name));
  return longTable(headings, rows, HEALTH.jobs);
}

function drawPast(data, messages) {
  const names = HEALTH.figures;
  const { catalog, health, jobs } = data;
  const open = Object.values(jobs.open ?? {});
  if (!data.seq) return el("p", { class: "quiet" }, HEALTH.noLog);
  return [
    el("p", { class: "quiet" }, `${HEALTH.at(moment(data.ts))} · ${HEALTH.afterFact(number(data.seq))}`),
    headline(health.state, HEALTH.was),
    health.reasons.map((reason) => notice(reason.state === "unavailable" ? "bad" : "warn", meaningOf(messages, reason.code), HEALTH.since(moment(reason.since)))),
    data.paused ? notice("info", HEALTH.paused(moment(data.paused.until))) : null,
    figures([
      [names.notes, number(catalog.total_docs)],
      [names.passages, number(catalog.total_chunks)],
      [names.vectors, share(catalog.chunks_embedded, catalog.total_chunks)],
      [names.waiting, number(catalog.unindexed_files)],
    ]),
    el("p", {}, `${HEALTH.openJobs}: ${open.map((job) => job.mode).join(", ") || HEALTH.none}`),
  ];
}

// While the slider moves, the counts of the timeline are shown; when it rests, the replayed state.
class Replay {
  constructor(data, at, signal) {
    this.data = data;
    this.signal = signal;
    this.from = new Date(data.from).getTime() + 1; // the log has microseconds: not before its first fact
    this.to = new Date(data.to).getTime();
    this.state = el("div", { class: "replayed", "aria-live": "polite" });
    this.marker = el("div", { class: "marker", "aria-hidden": "true" });
    this.label = el("output", { for: "moment" });
    this.slider = el("input", { id: "moment", type: "range", min: 0, max: STEPS, step: 1, "aria-describedby": "moment-help" });
    this.slider.value = at ? this.stepOf(new Date(at).getTime()) : STEPS;
    this.slider.addEventListener("input", () => this.move());
    this.box = el(
      "div",
      { class: "replay" },
      el("label", { for: "moment" }, HEALTH.slider, " ", this.label),
      this.slider,
      el("p", { class: "effect", id: "moment-help" }, HEALTH.sliderHelp),
      this.state,
    );
    this.show(at ?? new Date(this.to).toISOString());
    if (at) this.ask(at);
  }

  stepOf(moment) {
    return Math.round((STEPS * (moment - this.from)) / Math.max(1, this.to - this.from));
  }

  // The slider lies below the drawing, and a line in the drawing marks the moment.
  align(drawn) {
    this.drawn = drawn;
    this.slider.style.setProperty("margin-left", `${edges.left - 8}px`);
    this.slider.style.setProperty("width", `calc(100% - ${edges.left + edges.right - 16}px)`);
    drawn.append(this.marker);
    this.show(this.at);
  }

  show(at) {
    this.at = at;
    this.marker.hidden = Number(this.slider.value) >= STEPS;
    if (this.drawn) this.marker.style.setProperty("left", `${placeOf(this.data, this.drawn.clientWidth, at)}px`);
    replace(this.label, moment(at));
    this.slider.setAttribute("aria-valuetext", moment(at));
  }

  move() {
    const at = new Date(this.from + (Number(this.slider.value) / STEPS) * (this.to - this.from)).toISOString();
    const isNow = Number(this.slider.value) >= STEPS;
    this.show(at);
    clearTimeout(this.timer);
    this.wanted = isNow ? null : at;
    replace(this.state, isNow ? null : this.nearest(at));
    stay(address("/health", { at: this.wanted, days: new URLSearchParams(location.search).get("days") }));
    if (!isNow) this.timer = setTimeout(() => this.ask(at), REST_MS);
  }

  // What the timeline knows of a moment, at once.
  nearest(at) {
    const point = this.data.points.findLast((one) => one.ts <= at);
    if (!point) return el("p", { class: "quiet" }, HEALTH.noLog);
    const names = HEALTH.figures;
    return [
      el("p", { class: "quiet" }, HEALTH.at(moment(at))),
      headline(healthSpans(this.data).findLast((span) => span.from <= at)?.state ?? point.state, HEALTH.was),
      figures([
        [names.notes, number(point.notes)],
        [names.passages, number(point.passages)],
        [names.vectors, share(point.vectors, point.passages)],
        [names.waiting, number(point.waiting)],
      ]),
    ];
  }

  async ask(at) {
    this.wanted = at;
    try {
      const { data, error } = await call("GET", address("/v1/state", { at }), null, this.signal);
      if (this.wanted === at) replace(this.state, data ? drawPast(data, this.data.messages) : errorNotice(error));
    } catch {
      return; // another view is shown
    }
  }
}

function daysChoice(days) {
  const choice = el("select", { id: "days" }, HEALTH.dayChoices.map(([value, name]) => el("option", { value, selected: value === days }, name)));
  return [el("div", { class: "field inline" }, el("label", { for: "days" }, HEALTH.days), choice), choice];
}

export async function show(main, parameters, signal) {
  const now = el("div", {});
  const past = el("div", {});
  let days = Number(parameters.get("days")) || 7;
  const [chooser, choice] = daysChoice(days);
  main.append(
    el("section", { class: "panel", "aria-labelledby": "now" }, el("h2", { id: "now", class: "unseen" }, HEALTH.now), now),
    el("section", { class: "panel", "aria-labelledby": "past" }, el("div", { class: "row between" }, el("h2", { id: "past" }, HEALTH.past), chooser), past),
  );
  let detailsOpen = false; // they stay as they are when the numbers change
  const loadNow = async () => {
    const drawn = drawNow(await call("GET", "/v1/status", null, signal));
    detailsOpen = now.querySelector("details")?.open ?? detailsOpen;
    const focused = now.contains(document.activeElement) ? [...now.querySelectorAll(FOCUSED)].indexOf(document.activeElement) : -1;
    replace(now, drawn);
    const details = now.querySelector("details");
    if (details) details.open = detailsOpen;
    if (focused >= 0) now.querySelectorAll(FOCUSED)[focused]?.focus({ preventScroll: true });
  };
  const loadPast = async (at) => {
    const { data: found, error } = await call("GET", address("/v1/timeline", { days }), null, signal);
    if (!found) return replace(past, errorNotice(error));
    const data = withinLog(found);
    const drawn = el("div", { class: "drawn" });
    const replay = new Replay(data, at, signal);
    replace(
      past,
      data.damage.length ? notice("warn", HEALTH.damaged(data.damage.join(", "))) : null,
      drawn,
      replay.box,
      el("h3", {}, HEALTH.changes),
      changeTable(data),
      el("h3", {}, HEALTH.jobs),
      jobTable(data),
    );
    const fit = () => {
      replace(drawn, drawTimeline(data, Math.max(280, drawn.clientWidth)));
      replay.align(drawn);
    };
    const observer = new ResizeObserver(fit);
    observer.observe(drawn);
    signal.addEventListener("abort", () => observer.disconnect());
    say(HEALTH.drawing(moment(data.from), moment(data.to), data.changes.length, data.jobs.length));
    return undefined;
  };
  choice.addEventListener("change", () => {
    days = Number(choice.value);
    stay(address("/health", { days }));
    loadPast(null);
  });
  const timer = setInterval(() => loadNow().catch(() => {}), 5000);
  signal.addEventListener("abort", () => clearInterval(timer));
  await Promise.all([loadNow(), loadPast(parameters.get("at"))]).catch(() => {});
}
