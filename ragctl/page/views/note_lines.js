// Lines of a note with their numbers. The lines of a passage stand out.
import { el } from "../dom.js";
import { NOTE } from "../strings.js";

export function drawLines(note, from, to) {
  const lines = note.text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const rows = lines.map((line, index) => {
    const at = note.from + index;
    const isMeant = from !== null && at >= from && at <= to;
    return el("li", { value: at, class: isMeant ? "meant" : null, dir: "auto" }, line || "\u00a0");
  });
  return el("ol", { class: "lines", "aria-label": NOTE.lines(note.from, note.to), size: { "--digits": String(note.to).length } }, rows);
}
