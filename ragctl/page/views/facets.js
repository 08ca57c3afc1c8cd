// The filters of a search: as parameters of the address, as fields of a request, and as controls.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { number } from "../format.js";
import { FACETS } from "../strings.js";

const LISTS = ["collection", "folder", "tag", "prop"];
const DAYS = ["from", "to"];
const SHOWN = 8;

export function readFilters(parameters) {
  const filters = {};
  for (const name of LISTS) filters[name] = parameters.getAll(name);
  for (const name of DAYS) filters[name] = parameters.get(name) ?? "";
  return filters;
}

export const isFiltered = (filters) => Object.values(filters).some((value) => value.length > 0);

// The filters as fields of a search request.
export function asRequest(filters) {
  const request = {};
  if (filters.collection.length) request.collections = filters.collection;
  if (filters.folder.length) request.directory_filter = filters.folder;
  if (filters.tag.length) request.tags = filters.tag;
  if (filters.prop.length) request.properties = filters.prop;
  if (filters.from || filters.to) {
    request.date_range = {};
    for (const name of DAYS) if (filters[name]) request.date_range[name] = filters[name];
    request.by_file_time = true;
  }
  return request;
}

// One button for each filter that is set; a click removes it.
export function drawChips(filters, change) {
  const chips = [];
  for (const name of [...LISTS, ...DAYS]) {
    for (const value of [filters[name]].flat().filter(Boolean)) {
      const remove = () => change(name, value, false);
      chips.push(
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "chip set", "aria-label": FACETS.remove(FACETS.names[name], value), on: { click: remove } },
            el("span", { class: "quiet" }, `${FACETS.names[name]} `),
            value,
            el("span", { "aria-hidden": "true" }, " ×"),
          ),
        ),
      );
    }
  }
  return chips.length ? el("ul", { class: "chips", "aria-label": FACETS.active }, chips) : null;
}

function addingField(name, placeholder, change, options) {
  const id = `facet-${name}`;
  const input = el("input", { id, type: "text", placeholder, list: options ? `${id}-list` : null, autocomplete: "off", spellcheck: "false" });
  const add = () => {
    const value = input.value.trim();
    if (!value) return;
    input.value = "";
    change(name, value, true);
  };
  input.addEventListener("change", add);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Enter") add();
  });
  return el("div", { class: "field" }, el("label", { for: id }, FACETS.labels[name]), input, options ?? null);
}

function dayField(name, change) {
  const id = `facet-${name}`;
  const input = el("input", { id, type: "date", on: { change: () => change(name, input.value, true) } });
  return el("div", { class: "field" }, el("label", { for: id }, FACETS.labels[name]), input);
}

function counted(results, valuesOf) {
  const counts = new Map();
  for (const result of results) {
    for (const value of valuesOf(result)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).slice(0, SHOWN);
}

const folderOf = (result) => {
  const parts = result.source_file.split("/");
  return parts.length > 1 && result.collection === "vault" ? [parts[0]] : [];
};

function valueList(name, values, filters, change) {
  const fresh = values.filter(([value]) => !filters[name].includes(value));
  if (!fresh.length) return null;
  const items = fresh.map(([value, count]) =>
    el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "chip", title: FACETS.only(value), on: { click: () => change(name, value, true) } },
        value,
        el("span", { class: "quiet" }, ` ${number(count)}`),
      ),
    ),
  );
  return el("div", {}, el("h3", {}, FACETS.labels[name]), el("ul", { class: "chips" }, items));
}

export class Facets {
  constructor(change, signal) {
    this.change = change;
    this.days = el("div", { class: "pair" }, DAYS.map((name) => dayField(name, change)));
    this.collections = el("div", {});
    this.found = el("div", { class: "found" });
    const folders = el("datalist", { id: "facet-folder-list" });
    this.box = el(
      "details",
      { class: "facets", open: matchMedia("(min-width: 64rem)").matches },
      el("summary", {}, FACETS.title),
      this.collections,
      addingField("folder", FACETS.placeholders.folder, change, folders),
      addingField("tag", FACETS.placeholders.tag, change),
      addingField("prop", FACETS.placeholders.prop, change),
      this.days,
      this.found,
    );
    const unlessLeft = (why) => {
      if (!signal.aborted) throw why;
    };
    this.listCollections(signal).catch(unlessLeft);
    const folderBox = this.box.querySelector("#facet-folder");
    folderBox.addEventListener("focus", () => this.listFolders(folders, signal).catch(unlessLeft), { once: true });
  }

  // What is set, and what the results have in common.
  update(filters, results) {
    this.filters = filters;
    for (const name of DAYS) {
      const input = this.days.querySelector(`#facet-${name}`);
      const day = /^\d{4}-\d\d-\d\d$/.test(filters[name]) ? filters[name] : "";
      if (input.value !== day && input !== document.activeElement) input.value = day;
    }
    for (const box of this.collections.querySelectorAll("input")) {
      box.checked = filters.collection.includes(box.value);
    }
    const folders = valueList("folder", counted(results, folderOf), filters, this.change);
    const tags = valueList("tag", counted(results, (result) => result.tags), filters, this.change);
    replace(this.found, folders || tags ? el("h2", {}, FACETS.inResults) : null, folders, tags);
  }

  async listCollections(signal) {
    const { data } = await call("GET", "/v1/collections", null, signal);
    const names = data?.collections ?? [];
    if (names.length < 2) return;
    const boxes = names.map(({ name, context }) => {
      const box = el("input", { type: "checkbox", value: name, on: { change: () => this.change("collection", name, box.checked) } });
      box.checked = this.filters?.collection.includes(name) ?? false;
      return el("label", { class: "check", title: context }, box, ` ${name}`);
    });
    replace(this.collections, el("fieldset", {}, el("legend", {}, FACETS.labels.collection), boxes));
  }

  async listFolders(list, signal) {
    const { data } = await call("GET", "/v1/coverage", null, signal);
    const folders = data?.folders?.map((one) => one.path).filter(Boolean) ?? [];
    replace(list, folders.slice(0, 500).map((path) => el("option", { value: path })));
  }
}
