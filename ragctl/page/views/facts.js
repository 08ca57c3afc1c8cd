// Facts of the log as they are written, and what can be done about them.
import { call, followForever } from "../api.js";
import { el, replace } from "../dom.js";
import { address, clock, day, moment } from "../format.js";
import { factDetails, factSentence } from "../fact_text.js";
import { errorNotice, withCode } from "../parts.js";
import { stay } from "../router.js";
import { FACTS } from "../strings.js";
import { Actions } from "./actions.js";

export const title = FACTS.title;

const BEFORE = 200; // facts of the past to begin with
const BEFORE_OF_TYPE = 20_000; // records to look through for the chosen types
const KEPT = 500; // rows; older ones leave the page, not the log
const REFRESHING = new Set(["approval_requested", "approval_decided", "deletions_held", "sync_paused", "sync_resumed", "job_finished", "vault_scanned", "health_changed"]);

function row(record) {
  const { event } = record;
  const details = el("details", {}, el("summary", {}, el("span", { dir: "auto" }, withCode(factSentence(event)))), factDetails(record));
  return el(
    "li",
    { class: `fact ${FACTS.weight[event.type] ?? ""}`, "data-type": event.type },
    el("time", { datetime: record.ts, title: moment(record.ts) }, clock(record.ts)),
    el("span", { class: "type" }, event.type),
    details,
  );
}

class FactList {
  constructor(wanted) {
    this.wanted = wanted;
    this.list = el("ol", { class: "facts", "aria-label": FACTS.list, tabindex: 0 });
    this.lastDay = "";
    this.isHeld = false;
    this.kept = [];
  }

  add(record) {
    if (this.isHeld) this.kept = [...this.kept.slice(-KEPT), record];
    else this.insert(record);
  }

  insert(record) {
    const today = day(record.ts);
    if (today !== this.lastDay) this.list.prepend(el("li", { class: "day" }, today));
    this.list.firstElementChild.after(row(record)); // the newest first, below their day
    this.lastDay = today;
    while (this.list.childElementCount > KEPT || this.list.lastElementChild.className === "day") this.list.lastElementChild.remove();
  }

  hold(isHeld) {
    this.isHeld = isHeld;
    if (!isHeld) this.kept.splice(0).forEach((record) => this.insert(record));
  }
}

// Choosing types changes the address, and the list begins again.
function typeFilter(wanted, apply) {
  const boxes = Object.entries(FACTS.groups).map(([name, types]) => {
    const inner = types.map((type) => {
      const box = el("input", { type: "checkbox", value: type });
      box.checked = wanted.includes(type);
      box.addEventListener("change", () => apply(type, box.checked));
      return el("label", { class: "check" }, box, ` ${type}`);
    });
    return el("fieldset", {}, el("legend", {}, name), inner);
  });
  return el("details", { class: "panel types" }, el("summary", {}, FACTS.types(wanted.length)), el("div", { class: "grid" }, boxes));
}

export async function show(main, parameters, signal) {
  const wanted = parameters.getAll("type");
  const live = el("span", { class: "live", role: "status" }, FACTS.connecting);
  const facts = new FactList();
  const actions = new Actions(signal);
  const hold = el("button", { type: "button", class: "small", "aria-pressed": "false" }, FACTS.hold);
  hold.addEventListener("click", () => {
    facts.hold(!facts.isHeld);
    hold.setAttribute("aria-pressed", String(facts.isHeld));
  });
  let turn = new AbortController();
  const filterBox = el("div", {});
  const begin = async () => {
    turn.abort();
    turn = new AbortController();
    signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
    replace(facts.list);
    facts.lastDay = "";
    const mine = turn.signal;
    const { data, error } = await call("GET", "/v1/status", null, mine);
    if (!data) return replace(live, errorNotice(error));
    const after = Math.max(0, data.log.oldest_seq - 1, data.log.seq - (wanted.length ? BEFORE_OF_TYPE : BEFORE));
    const path = address("/v1/events", { type: wanted });
    const onState = (isOn) => replace(live, isOn ? FACTS.live : FACTS.broken);
    for await (const record of followForever(path, after, mine, onState)) {
      facts.add(record);
      if (record.seq > data.log.seq && REFRESHING.has(record.event.type)) actions.refresh().catch(() => {});
    }
    return undefined;
  };
  const apply = (type, isSet) => {
    const others = wanted.filter((one) => one !== type);
    wanted.splice(0, wanted.length, ...(isSet ? [...others, type] : others));
    stay(address("/facts", { type: wanted }));
    filterBox.querySelector("summary").textContent = FACTS.types(wanted.length);
    begin().catch(() => {});
  };
  replace(filterBox, typeFilter(wanted, apply));
  main.append(
    el(
      "div",
      { class: "columns" },
      el("div", { class: "wide" }, el("div", { class: "row" }, live, hold), filterBox, facts.list),
      actions.box,
    ),
  );
  actions.refresh().catch(() => {});
  await begin().catch(() => {});
}
