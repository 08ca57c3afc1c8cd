// What assistants stored: where it is from, whether it is still current, and a way to forget it.
import { call } from "../api.js";
import { el, replace } from "../dom.js";
import { address, ago, moment } from "../format.js";
import { actionButton, errorNotice, say, veil, when } from "../parts.js";
import { stay } from "../router.js";
import { MEMORIES } from "../strings.js";

export const title = MEMORIES.title;

function stateOf(memory) {
  if (memory.stale) return el("span", { class: "state warn" }, MEMORIES.stale);
  if (memory.unverified) return el("span", { class: "state warn" }, MEMORIES.unverified);
  return el("span", { class: "state ok" }, MEMORIES.current);
}

function forgetButton(memory, reload) {
  return actionButton({
    label: MEMORIES.forget,
    effect: MEMORIES.effect,
    confirm: MEMORIES.confirm,
    named: MEMORIES.forgetNamed(memory.key),
    brief: true,
    run: async () => {
      // Not by an address: a browser cannot send one that ends in "..", however it is escaped.
      const { data, error } = await call("POST", "/v1/tools/obsidian_rag_memory_forget", { key: memory.key });
      if (error && !data) return errorNotice(error);
      say(data.forgotten ? MEMORIES.forgotten(memory.key) : MEMORIES.was);
      await reload();
      return null;
    },
  });
}

function card(memory, reload) {
  return el(
    "li",
    {},
    el(
      "article",
      { class: "passage memory-card" },
      el("header", {}, el("h2", { dir: "auto" }, memory.key), stateOf(memory)),
      veil(memory.sensitive, memory.value, () => el("p", { class: "text", dir: "auto" }, memory.value)),
      el(
        "footer",
        {},
        el("span", {}, `${MEMORIES.source} `, el("a", { href: address("/note", { path: memory.source }), dir: "auto" }, memory.source)),
        el("span", {}, `${MEMORIES.stored} `, when(memory.stored_at, ago(memory.stored_at), moment(memory.stored_at))),
      ),
      forgetButton(memory, reload),
    ),
  );
}

export async function show(main, parameters, signal) {
  const list = el("div", {});
  const filter = el("input", { id: "memory-filter", type: "search", autocomplete: "off" });
  filter.value = parameters.get("q") ?? "";
  let memories = [];
  const draw = () => {
    const wanted = filter.value.trim().toLowerCase();
    stay(address("/memories", { q: wanted }));
    const shown = memories.filter((one) => `${one.key}\n${one.value}\n${one.source}`.toLowerCase().includes(wanted));
    if (!shown.length) return replace(list, el("p", { class: "empty" }, memories.length ? MEMORIES.noMatch : MEMORIES.none));
    return replace(list, el("ol", { class: "results cards", "aria-label": MEMORIES.title }, shown.map((one) => card(one, load))));
  };
  const load = async () => {
    const { data, error } = await call("GET", "/v1/memories", null, signal);
    if (!data) return replace(list, errorNotice(error));
    memories = data.memories;
    return draw();
  };
  filter.addEventListener("input", draw);
  main.append(
    el("p", { class: "lead" }, MEMORIES.lead),
    el("div", { class: "field inline" }, el("label", { for: "memory-filter" }, MEMORIES.filter), filter),
    list,
  );
  await load();
}
