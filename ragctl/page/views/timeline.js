// The last days as a drawing: health, runs of the daemon, jobs, and how many notes the index had.
import { drawing } from "../dom.js";
import { clock, duration, moment, number } from "../format.js";
import { HEALTH, STATES } from "../strings.js";

const LABELS = 62; // room for the names of the rows, in pixels
const ROWS = { health: [8, 26], runs: [42, 8], jobs: [60, 44], notes: [116, 52] };
const BOTTOM = 178;
export const HEIGHT = 198;
const LANES = 4;
const HOUR = 3_600_000;
const STEPS = [1 / 60, 1 / 12, 0.25, 1, 3, 6, 12, 24, 48, 120]; // hours between two ticks

const time = (text) => new Date(text).getTime();

export const edges = { left: LABELS, right: 4 };

// The days that were asked for, or less if the log begins later.
export function withinLog(data) {
  return data.log_from && data.log_from > data.from ? { ...data, from: data.log_from } : data;
}

function scale(data, width) {
  const from = time(data.from);
  const span = Math.max(1, time(data.to) - from);
  const place = (at) => LABELS + ((Math.min(Math.max(at, from), from + span) - from) / span) * (width - LABELS - edges.right);
  return (text) => place(typeof text === "number" ? text : time(text));
}

// Where a moment is in the drawing, in pixels from the left.
export const placeOf = (data, width, at) => scale(data, width)(at);

function rectangle(x1, x2, [top, height], kind, title, least = 1) {
  const box = drawing("rect", { x: x1, y: top, width: Math.max(least, x2 - x1), height, class: kind, rx: 2 });
  box.append(drawing("title", {}, title));
  return box;
}

// Spans of one state each, from the changes in order.
export function healthSpans(data) {
  const spans = [{ from: data.from, state: data.before.state, reasons: data.before.reasons }];
  for (const change of data.changes) spans.push({ from: change.ts, state: change.after, reasons: change.reasons });
  return spans.map((span, index) => ({ ...span, to: spans[index + 1]?.from ?? data.to }));
}

// What was the case when no daemon ran: nothing. Those gaps are drawn over the health.
export function gaps(data) {
  const found = [];
  const runs = [...data.runs].sort((one, other) => time(one.started_at) - time(other.started_at));
  let end = data.from;
  for (const run of runs) {
    if (time(run.started_at) > time(end)) found.push({ from: end, to: run.started_at });
    end = run.ended_at ?? data.to;
  }
  if (time(end) < time(data.to)) found.push({ from: end, to: data.to });
  return found.filter((gap) => time(gap.to) > time(data.from));
}

function ticks(data, at, width) {
  const span = time(data.to) - time(data.from);
  const steps = STEPS.map((hours) => hours * HOUR);
  const step = steps.find((one) => (span / one) * 62 < width - LABELS) ?? steps.at(-1);
  const drawn = [];
  const midnight = new Date(time(data.from)).setHours(0, 0, 0, 0);
  const first = midnight + Math.ceil((time(data.from) - midnight) / step) * step;
  for (let tick = first; tick < time(data.to); tick += step) {
    const when = new Date(tick);
    const text = step < 24 * HOUR && when.getHours() + when.getMinutes() ? clock(when).slice(0, 5) : when.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
    if (at(tick) > width - 28) continue;
    drawn.push(
      drawing("line", { x1: at(tick), x2: at(tick), y1: ROWS.health[0], y2: BOTTOM, class: "tick" }),
      drawing("text", { x: at(tick), y: BOTTOM + 15, "text-anchor": "middle", class: "label" }, text),
    );
  }
  return drawn;
}

function jobBars(data, at) {
  const [top, height] = ROWS.jobs;
  const ends = new Array(LANES).fill(-Infinity);
  return data.jobs.map((job) => {
    const from = at(job.started_at ?? job.requested_at);
    const to = at(job.ended_at ?? job.finished_at ?? data.to);
    let lane = ends.findIndex((end) => end < from - 1);
    if (lane < 0) lane = ends.indexOf(Math.min(...ends));
    ends[lane] = Math.max(to, from + 3);
    const outcome = job.outcome ?? HEALTH.running;
    const kind = outcome === "complete" ? "ok" : outcome === "failed" ? "bad" : outcome === "partial" ? "warn" : "other";
    const took = duration(time(job.ended_at ?? job.finished_at ?? data.to) - time(job.started_at ?? job.requested_at));
    const title = HEALTH.jobBar(job.mode, outcome, moment(job.requested_at), took);
    return rectangle(from, to, [top + (lane * height) / LANES, height / LANES - 2], `job ${kind}`, title, 3);
  });
}

// The number of notes as steps: it holds until the next point.
function noteSteps(data, at) {
  const points = data.points;
  if (!points.length) return [];
  const [top, height] = ROWS.notes;
  const most = Math.max(1, ...points.map((one) => Math.max(one.passages, 1)));
  const line = (value) => {
    const up = (one) => (top + height - (value(one) / most) * (height - 4)).toFixed(1);
    const parts = [`M${at(points[0].ts).toFixed(1)} ${top + height}`];
    points.forEach((one, index) => parts.push(`V${up(one)}`, `H${at(points[index + 1]?.ts ?? data.to).toFixed(1)}`));
    return `${parts.join("")}V${top + height}Z`;
  };
  const passages = drawing("path", { d: line((one) => one.passages), class: "passages" }, drawing("title", {}, `${number(points.at(-1).passages)}`));
  return [passages, drawing("path", { d: line((one) => one.vectors), class: "vectors" })];
}

export function drawTimeline(data, width) {
  const at = scale(data, width);
  const spans = healthSpans(data).map((span) =>
    rectangle(at(span.from), at(span.to), ROWS.health, `span ${span.state}`, `${STATES[span.state]}, ${moment(span.from)}${span.reasons.length ? `: ${span.reasons.join(", ")}` : ""}`),
  );
  const off = gaps(data).map((gap) => rectangle(at(gap.from), at(gap.to), ROWS.health, "span off", HEALTH.off));
  const runs = data.runs.map((run) =>
    rectangle(at(run.started_at), at(run.ended_at ?? data.to), ROWS.runs, `run ${run.ended === "crashed" ? "bad" : ""}`, `${run.version}, ${moment(run.started_at)}${run.ended ? `, ${run.ended}` : ""}`, 2),
  );
  const names = Object.entries(ROWS).map(([name, [top, height]]) =>
    drawing("text", { x: 0, y: top + height / 2 + 4, class: "label" }, HEALTH.rows[name]),
  );
  return drawing(
    "svg",
    {
      class: "timeline",
      role: "img",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      "aria-label": HEALTH.drawing(moment(data.from), moment(data.to), data.changes.length, data.jobs.length),
    },
    ticks(data, at, width),
    names,
    spans,
    off,
    runs,
    jobBars(data, at),
    noteSteps(data, at),
  );
}
