// What a person can do from the page: sync, read everything, reindex, pause, decide what waits.
// Each button says what it will do before it does it.
import { call, follow } from "../api.js";
import { el, replace } from "../dom.js";
import { duration, moment, number } from "../format.js";
import { actionButton, errorNotice, kindsInWords, say, withCode } from "../parts.js";
import { ACTIONS } from "../strings.js";

const TURNS = /[\u202a-\u202e\u2066-\u2069]/g; // an agent's text could be read in another order

// Request a job and show how it goes. Returns an element that is updated until the job ends.
async function runJob(request, signal) {
  const { data, error } = await call("POST", "/v1/jobs", request);
  if (!data) return errorNotice(error);
  const text = el("span", {}, ACTIONS.requested);
  const bar = el("progress", { max: 1, "aria-label": ACTIONS.progress });
  const box = el("div", {}, bar, text);
  watchJob(data.job_id, bar, text, signal);
  return box;
}

async function watchJob(job, bar, text, signal) {
  try {
    for await (const line of follow(`/v1/jobs/${job}?follow=1`, signal)) {
      if (line.type === "progress") {
        if (line.total) bar.value = line.current / line.total;
        replace(text, ACTIONS.working(ACTIONS.phases[line.phase] ?? line.phase, number(line.current), number(line.total)));
        continue;
      }
      bar.remove();
      const ended = ACTIONS.outcomes[line.outcome] ?? line.outcome;
      const counts = line.indexed_files === undefined ? "" : ACTIONS.counts(number(line.indexed_files), duration(line.duration_ms));
      replace(text, [ended, counts, ...(line.message ? [line.message] : [])].filter(Boolean).map((part) => [withCode(part), " "]));
      say(ended);
    }
  } catch {
    bar.remove();
    if (!signal.aborted) replace(text, ACTIONS.lost);
  }
}

function jobButtons(signal) {
  return ["sync", "full", "reindex"].map((mode) =>
    actionButton({ ...ACTIONS.jobs[mode], kind: mode === "sync" ? "main" : "", run: () => runJob({ mode }, signal) }),
  );
}

function pauseButton(status, refresh) {
  if (status.paused) {
    return actionButton({
      ...ACTIONS.resume(moment(status.paused.until)),
      run: async () => {
        const { data, error } = await call("POST", "/v1/resume", {});
        await refresh();
        return data ? ACTIONS.resumed : errorNotice(error);
      },
    });
  }
  const hours = el("select", { id: "pause-for" }, ACTIONS.pauseTimes.map(([seconds, name]) => el("option", { value: seconds }, name)));
  const made = actionButton({
    ...ACTIONS.pause,
    run: async () => {
      const { data, error } = await call("POST", "/v1/pause", { seconds: Number(hours.value) });
      await refresh();
      return data ? ACTIONS.pausedUntil(moment(data.paused.until)) : errorNotice(error);
    },
  });
  made.prepend(el("div", { class: "field inline" }, el("label", { for: "pause-for" }, ACTIONS.pauseFor), hours));
  return made;
}

function heldDeletions(status, signal) {
  return status.collections
    .filter((one) => one.held)
    .map((one) =>
      el(
        "div",
        { class: "waiting" },
        el("h3", {}, ACTIONS.held(number(one.held), one.name)),
        actionButton({ ...ACTIONS.acceptHeld(number(one.held), one.name), run: () => runJob({ mode: "sync", accept_deletions: true, accept_in: [one.name] }, signal) }),
        actionButton({ ...ACTIONS.keepHeld, run: () => runJob({ mode: "sync" }, signal) }),
      ),
    );
}

function approval(one, refresh) {
  const decide = (release) => async () => {
    const { data, error } = await call("POST", `/v1/approvals/${encodeURIComponent(one.id)}`, { release });
    await refresh();
    return data ? ACTIONS.decided[data.outcome] : errorNotice(error);
  };
  const who = one.agent || ACTIONS.someAgent;
  return el(
    "div",
    { class: "waiting" },
    el("h3", {}, ACTIONS.asks(who, one.chat)),
    el("p", {}, ACTIONS.asked(one.tool), el("q", { dir: "auto" }, one.asked.replace(TURNS, ""))),
    el("p", {}, ACTIONS.withholds(one.withheld, kindsInWords(one.kinds))),
    el("ul", { class: "files" }, one.citations.map((citation) => el("li", { class: "citation", dir: "auto" }, citation))),
    actionButton({ ...ACTIONS.release(who, one.withheld), run: decide(true) }),
    actionButton({ ...ACTIONS.refuse(who), run: decide(false) }),
    el("p", { class: "quiet" }, ACTIONS.expires(duration(1000 * one.expires_in_s))),
  );
}

// What waits for a person. It is drawn again when it changes, so `said` keeps what was done.
export class Actions {
  constructor(signal) {
    this.signal = signal;
    this.refresh = this.refresh.bind(this);
    this.waiting = el("section", { "aria-labelledby": "waiting-title", hidden: true });
    this.pause = el("div", {});
    this.box = el(
      "div",
      { class: "actions" },
      this.waiting,
      el("section", { class: "panel", "aria-labelledby": "do-title" }, el("h2", { id: "do-title", tabindex: -1 }, ACTIONS.title), jobButtons(signal), this.pause),
    );
    this.shown = "";
  }

  async refresh() {
    const [status, approvals] = await Promise.all([
      call("GET", "/v1/status", null, this.signal),
      call("GET", "/v1/approvals", null, this.signal),
    ]);
    const pause = JSON.stringify(status.data?.paused ?? null);
    if (status.data && pause !== this.pauseShown) {
      this.pauseShown = pause;
      const isFocused = this.pause.contains(document.activeElement);
      replace(this.pause, pauseButton(status.data, this.refresh));
      if (isFocused) this.pause.querySelector("button").focus({ preventScroll: true });
    }
    const asked = approvals.data?.approvals ?? [];
    const held = status.data?.collections.filter((one) => one.held) ?? [];
    const shown = JSON.stringify([asked.map((one) => one.id), held.map((one) => [one.name, one.held])]);
    if (shown === this.shown) return;
    this.shown = shown;
    const parts = [...asked.map((one) => approval(one, this.refresh)), ...(held.length ? heldDeletions(status.data, this.signal) : [])];
    this.waiting.hidden = !parts.length;
    this.waiting.className = "panel attention";
    const isFocused = this.waiting.contains(document.activeElement);
    replace(this.waiting, el("h2", { id: "waiting-title", tabindex: -1 }, ACTIONS.waiting), parts);
    if (isFocused) this.box.querySelector(parts.length ? "#waiting-title" : "#do-title").focus();
    if (parts.length) say(ACTIONS.waiting);
  }
}
