// What the index has of each collection and folder: notes, passages, vectors, failures, last change.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { address, ago, moment, number, percent } from "../format.js";
import { cell, errorNotice, notice, table, when, withCode } from "../parts.js";
import { COVERAGE } from "../strings.js";
import { treemap } from "../treemap.js";

export const title = COVERAGE.title;

const WIDTH = 100;
const HEIGHT = 24;
const TILES = 60;
const NOTES = 200;
const VAULT = "vault";

const topOf = (collection) => `@${collection}`;
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);
const linkTo = (folder) => address("/coverage", { folder });
const vectorShare = (row) => (row.passages ? row.vectors / row.passages : 1);

function shareClass(row) {
  if (row.failed) return "bad";
  const share = vectorShare(row);
  return share >= 1 ? "full" : share > 0.5 ? "most" : share > 0 ? "some" : "none";
}

// One tile for each folder. It repeats the table, so a screen reader leaves it out.
function drawTiles(rows) {
  const largest = [...rows].sort((one, other) => other.notes - one.notes).slice(0, TILES);
  const tiles = treemap(largest.map((row) => [row.notes, row]), WIDTH, HEIGHT).map(({ x, y, width, height, item }) =>
    el(
      "a",
      {
        class: `tile ${shareClass(item)}`,
        href: linkTo(item.link),
        tabindex: -1,
        title: COVERAGE.tile(item.label, number(item.notes), number(item.passages), percent(vectorShare(item))),
        size: {
          left: `${x}%`,
          top: `${(100 * y) / HEIGHT}%`,
          width: `${width}%`,
          height: `${(100 * height) / HEIGHT}%`,
        },
      },
      width > 4 && height > 3 ? [el("span", { dir: "auto" }, item.label), el("small", {}, number(item.notes))] : null,
    ),
  );
  return el("div", { class: "treemap", "aria-hidden": "true" }, tiles);
}

function vectorsCell(row) {
  const share = vectorShare(row);
  return el(
    "td",
    { class: "right" },
    el("span", { class: "meter", "aria-hidden": "true" }, el("span", { size: { width: `${100 * share}%` } })),
    ` ${percent(share)}`,
  );
}

function drawTable(rows) {
  const names = COVERAGE.columns;
  const right = (name) => ({ name, right: true });
  const headings = [names.folder, right(names.notes), right(names.passages), right(names.vectors), right(names.failed), right(names.skipped), right(names.waiting), names.changed];
  const lines = rows.map((row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("a", { href: linkTo(row.link), dir: "auto" }, row.label), row.private ? el("span", { class: "badge" }, COVERAGE.private) : null),
      cell(number(row.notes), true),
      cell(number(row.passages), true),
      vectorsCell(row),
      el("td", { class: row.failed ? "right bad" : "right" }, number(row.failed)),
      cell(number(row.skipped), true),
      cell(number(row.waiting), true),
      cell(row.last_change ? when(row.last_change, ago(row.last_change), moment(row.last_change)) : "–"),
    ),
  );
  return table(headings, lines, COVERAGE.folders);
}

function drawProblems(name, found) {
  if (!found.total) return null;
  const files = found.files.map((file) =>
    el("li", {}, el("span", { class: "citation", dir: "auto" }, file.path), " – ", withCode(file.reason ?? file.message ?? file.code ?? "")),
  );
  const reasons = Object.entries(found.reasons).map(([reason, count]) => el("li", {}, `${number(count)}: `, withCode(reason)));
  return el(
    "details",
    { class: "panel", open: found.total <= 20 },
    el("summary", {}, name(found.total)),
    el("ul", {}, reasons.length > 1 ? reasons : null),
    el("ul", { class: "files" }, files),
    found.total > found.files.length ? el("p", { class: "quiet" }, COVERAGE.moreFiles(found.total - found.files.length)) : null,
  );
}

function noteRow(note) {
  const isShown = note.state === "indexed" || note.state === "waiting";
  const path = el("span", { dir: "auto" }, nameOf(note.path));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, isShown ? el("a", { href: address("/note", { path: note.path }) }, path) : path),
    cell(el("span", { class: `state ${note.state === "indexed" ? "ok" : note.state === "failed" ? "bad" : "warn"}` }, COVERAGE.states[note.state] ?? note.state, note.reason ? [": ", withCode(note.reason)] : null)),
    cell(number(note.passages), true),
    cell(number(note.vectors), true),
    cell(note.modified ? when(note.modified, ago(note.modified), moment(note.modified)) : "–"),
  );
}

// The notes that are directly in the folder, a page at a time.
function drawNotes(folder, first, more) {
  const names = COVERAGE.columns;
  const made = table([names.note, names.state, { name: names.passages, right: true }, { name: names.vectors, right: true }, names.changed], first.map(noteRow), COVERAGE.notes);
  const body = made.querySelector("tbody");
  const next = el("button", { type: "button", hidden: !more }, COVERAGE.next);
  let last = first.at(-1)?.path;
  next.addEventListener("click", async () => {
    const { data } = await call("GET", address("/v1/coverage", { folder, depth: 0, notes: NOTES, after: last }));
    if (!data) return;
    body.append(...data.notes.map(noteRow));
    last = data.notes.at(-1)?.path;
    next.hidden = !data.more;
  });
  return el("section", {}, el("h2", {}, COVERAGE.notes), made, next);
}

function crumbs(folder) {
  const links = [el("a", { href: "/coverage" }, COVERAGE.all)];
  if (folder && !folder.startsWith("@")) links.push(el("a", { href: linkTo(topOf(VAULT)) }, VAULT));
  const parts = folder && folder !== topOf(VAULT) ? folder.split("/") : [];
  parts.forEach((part, index) => links.push(el("a", { href: linkTo(parts.slice(0, index + 1).join("/")), dir: "auto" }, part.replace(/^@/, ""))));
  if (folder === topOf(VAULT)) links.push(el("a", { href: linkTo(folder) }, VAULT));
  links.at(-1).setAttribute("aria-current", "true");
  return el("nav", { class: "crumbs", "aria-label": COVERAGE.crumbs }, links.map((link, index) => [index ? " › " : null, link]));
}

function figures(row) {
  const shown = [
    [number(row.notes), COVERAGE.columns.notes],
    [number(row.passages), COVERAGE.columns.passages],
    [percent(vectorShare(row)), COVERAGE.columns.vectors],
    [number(row.failed), COVERAGE.columns.failed],
    [number(row.waiting), COVERAGE.columns.waiting],
  ];
  return el("dl", { class: "figures" }, shown.map(([value, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function sumOf(rows) {
  const sum = {};
  for (const name of ["notes", "passages", "vectors", "failed", "waiting"]) sum[name] = rows.reduce((all, row) => all + row[name], 0);
  return sum;
}

export async function show(main, parameters, signal) {
  const collection = parameters.get("collection");
  const isTop = !parameters.get("folder") && collection;
  const folder = isTop ? topOf(collection) : (parameters.get("folder") ?? "");
  const body = el("div", {});
  main.append(crumbs(folder), body);
  const asked = address("/v1/coverage", { folder, notes: folder ? NOTES : null });
  const { data, error } = await call("GET", asked, null, signal);
  if (!data) return replace(body, errorNotice(error));
  const folders = data.folders.map((row) => ({ ...row, link: row.path, label: nameOf(row.path) }));
  const collections = data.collections.map((row) => ({ ...row, link: topOf(row.name), label: row.name }));
  const rows = folder || collections.length < 2 ? folders : collections;
  return replace(
    body,
    figures(data.folder ?? sumOf(data.collections)),
    rows.length ? [drawTiles(rows), el("p", { class: "quiet" }, COVERAGE.legend)] : null,
    rows.length ? el("section", {}, el("h2", {}, rows === collections ? COVERAGE.collections : COVERAGE.folders), drawTable(rows)) : null,
    data.left_out ? notice("info", COVERAGE.leftOut(number(data.left_out))) : null,
    drawProblems(COVERAGE.failed, data.failed),
    drawProblems(COVERAGE.skipped, data.skipped),
    folder && data.notes.length ? drawNotes(folder, data.notes, data.more) : null,
  );
}
