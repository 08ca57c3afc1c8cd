/** Search by meaning: type a question, choose a passage. */

import { type App, Keymap, Notice, SuggestModal } from "obsidian";
import type { Passage } from "./answers.js";
import { openNote } from "./open_note.js";
import type { PanelSource } from "./related_view.js";
import { RagdError, type SearchAnswer } from "./ragd.js";

const MOST = 20;
const PAUSE_MS = 200;

/** A passage, or a line that says something about the answer. */
export type Suggestion =
  | { kind: "passage"; passage: Passage }
  | { kind: "message"; message: string }
  | { kind: "withheld"; count: number; confirm: string };

export class SearchModal extends SuggestModal<Suggestion> {
  readonly #source: PanelSource;
  #prefix = "";
  #asking: AbortController | null = null;
  #confirm: { query: string; token: string } | null = null;

  constructor(app: App, source: PanelSource) {
    super(app);
    this.#source = source;
    this.setPlaceholder("Ask your notes a question");
    this.emptyStateText = "Type a question.";
    this.limit = MOST + 2;
  }

  override onClose(): void {
    super.onClose();
    this.#asking?.abort();
  }

  override async getSuggestions(query: string): Promise<Suggestion[]> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    if (query.trim() === "") return [];
    await new Promise((resolve) => window.setTimeout(resolve, PAUSE_MS));
    if (asking.signal.aborted) return [];
    try {
      const prefix = await this.#source.prefix();
      if (prefix === null) return [{ kind: "message", message: "Ragd does not index this vault." }];
      this.#prefix = prefix;
      const token = this.#confirm?.query === query ? { confirm: this.#confirm.token } : {};
      this.#confirm = null;
      const wanted = { query, most: MOST, signal: asking.signal, ...token };
      return suggestions(await this.#source.ragd.search(wanted));
    } catch (reason) {
      if (asking.signal.aborted) return [];
      const message = reason instanceof RagdError ? reason.message : "Something went wrong.";
      return [{ kind: "message", message }];
    }
  }

  override renderSuggestion(one: Suggestion, el: HTMLElement): void {
    if (one.kind === "message") {
      el.createDiv({ cls: "ragd-message", text: one.message });
      return;
    }
    if (one.kind === "withheld") {
      const many = one.count === 1 ? "1 sensitive passage" : `${one.count} sensitive passages`;
      el.createDiv({ text: `Show ${many}` });
      return;
    }
    const { passage } = one;
    el.createDiv({ text: passage.title });
    el.createDiv({ cls: "ragd-text", text: passage.text });
    const about = [passage.path, passage.date, passage.isSensitive ? "sensitive" : null];
    el.createDiv({ cls: "ragd-source", text: about.filter(Boolean).join(" · ") });
  }

  override onChooseSuggestion(one: Suggestion, event: MouseEvent | KeyboardEvent): void {
    if (one.kind === "message") {
      new Notice(one.message);
    } else if (one.kind === "withheld") {
      this.#showWithheld(one.confirm);
    } else {
      const newTab = Boolean(Keymap.isModEvent(event));
      const { path, line } = one.passage;
      void openNote(this.app, path, this.#prefix, { line, newTab });
    }
  }

  /** The modal closes when something is chosen, so the same question is asked in a new one. */
  #showWithheld(token: string): void {
    const query = this.inputEl.value;
    const again = new SearchModal(this.app, this.#source);
    again.#confirm = { query, token };
    again.open();
    again.inputEl.value = query;
    again.inputEl.dispatchEvent(new Event("input"));
  }
}

export function suggestions(answer: SearchAnswer): Suggestion[] {
  const found: Suggestion[] = answer.passages.map((passage) => ({ kind: "passage", passage }));
  if (answer.withheld > 0 && answer.confirm !== null) {
    found.push({ kind: "withheld", count: answer.withheld, confirm: answer.confirm });
  } else if (answer.warning !== null) {
    found.push({ kind: "message", message: answer.warning });
  }
  if (answer.passages.length > 0 && !answer.isAnswered) {
    found.unshift({ kind: "message", message: "Nothing answers this. The nearest passages:" });
  }
  return found.length > 0 ? found : [{ kind: "message", message: "Nothing found." }];
}
