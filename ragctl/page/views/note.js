// A note, or some of its lines, as it is in the vault now.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { address, obsidianAddress } from "../format.js";
import { errorNotice, notice, say, veil } from "../parts.js";
import { NOTE, SENSITIVE } from "../strings.js";
import { drawLines } from "./note_lines.js";

export const title = NOTE.title;

function request(parameters, extra) {
  const place = parameters.get("place");
  return address("/v1/notes", { path: parameters.get("path"), place, raw: 1, ...extra });
}

function consent(note, again) {
  const text = SENSITIVE.withheld(note.withheld ?? 1);
  return el("div", { class: "notice warn" }, el("p", {}, text), el("button", { type: "button", on: { click: again } }, SENSITIVE.consent));
}

function draw(body, note, parameters) {
  const from = Number(parameters.get("from")) || null;
  const to = Number(parameters.get("to")) || from;
  const citation = /#L(\d+)-L(\d+)$/.exec(parameters.get("path") ?? "");
  const [first, last] = citation ? [Number(citation[1]), Number(citation[2])] : [from, to];
  const opened = obsidianAddress(note.link, note.kind, "");
  const folder = note.path.includes("/") ? note.path.slice(0, note.path.lastIndexOf("/")) : "";
  replace(
    body,
    el("h2", { class: "path-title", dir: "auto" }, note.path),
    el(
      "p",
      { class: "row" },
      opened ? el("a", { class: "outside", href: opened, rel: "noreferrer" }, NOTE.obsidian) : null,
      el("a", { href: address("/coverage", { collection: note.collection, folder }) }, NOTE.folder),
      el("a", { href: address("/why", { note: note.path }) }, NOTE.expected),
    ),
    note.stale ? notice("warn", NOTE.stale) : null,
    note.injection_suspected ? notice("warn", NOTE.instruction) : null,
    note.context ? el("p", { class: "quiet" }, note.context) : null,
    veil(note.sensitive, note.text, () => drawLines(note, first, last)),
    note.truncated ? notice("info", NOTE.truncated(note.to, note.total_lines)) : null,
  );
  body.querySelector(".meant")?.scrollIntoView({ block: "center" });
  say(note.path);
}

export async function show(main, parameters, signal) {
  const body = el("div", {});
  main.append(body);
  const load = async (extra) => {
    const { data, error } = await call("GET", request(parameters, extra), null, signal);
    if (data?.text === null && data.confirm) replace(body, consent(data, () => load({ confirm: data.confirm })));
    else if (!data || data.text === null) replace(body, errorNotice(error ?? { message: NOTE.empty }));
    else draw(body, data, parameters);
  };
  if (parameters.get("path")) await load({});
  else replace(body, el("p", {}, NOTE.none));
}
