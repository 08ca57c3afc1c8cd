/** The panel with the notes that are related to the open one. */

import { Component, ItemView, Keymap, type TFile, type WorkspaceLeaf } from "obsidian";
import type { RelatedNote } from "./answers.js";
import { openNote } from "./open_note.js";
import { type Ragd, RagdError } from "./ragd.js";

export const RELATED_VIEW = "ragd-related";

const MOST = 20;

/** What the panel needs from the plugin. */
export interface PanelSource {
  ragd: Ragd;
  /** How ragd begins the paths of this vault; null if it does not read it. */
  prefix(): Promise<string | null>;
}

export class RelatedView extends ItemView {
  readonly #source: PanelSource;
  #shown = 0;
  #rows: Component | null = null;

  constructor(leaf: WorkspaceLeaf, source: PanelSource) {
    super(leaf);
    this.#source = source;
    this.icon = "waypoints";
  }

  override getViewType(): string {
    return RELATED_VIEW;
  }

  override getDisplayText(): string {
    return "Related notes";
  }

  override async onOpen(): Promise<void> {
    await this.showFor(this.app.workspace.getActiveFile());
  }

  /** Shows the notes related to this one. An answer that comes after a newer question is dropped. */
  async showFor(file: TFile | null): Promise<void> {
    const number = ++this.#shown;
    if (file === null) return this.#say("Open a note to see what is related to it.");
    try {
      const prefix = await this.#source.prefix();
      if (prefix === null) {
        if (number === this.#shown) this.#say("Ragd does not index this vault.");
        return;
      }
      const found = await this.#source.ragd.related(prefix + file.path, MOST);
      if (number === this.#shown) this.#list(found, prefix);
    } catch (reason) {
      if (number === this.#shown) this.#say(describe(reason));
    }
  }

  /** What was shown goes, and the listeners of its rows with it. */
  #clear(): void {
    if (this.#rows !== null) this.removeChild(this.#rows);
    this.#rows = null;
    this.contentEl.empty();
  }

  #say(message: string): void {
    this.#clear();
    this.contentEl.createDiv({ cls: "ragd-message", text: message });
  }

  #list(found: RelatedNote[], prefix: string): void {
    if (found.length === 0) return this.#say("No related notes.");
    this.#clear();
    const list = this.addChild(new Component());
    this.#rows = list;
    for (const note of found) {
      const attr = { role: "link", tabindex: "0", "aria-label": note.path };
      const row = this.contentEl.createDiv({ cls: "ragd-note", attr });
      row.createDiv({ text: note.title });
      row.createDiv({ cls: "ragd-why", text: note.why.join(", ") });
      const open = (event: MouseEvent | KeyboardEvent): void => {
        const newTab = Boolean(Keymap.isModEvent(event));
        void openNote(this.app, note.path, prefix, { newTab });
      };
      list.registerDomEvent(row, "click", open);
      list.registerDomEvent(row, "keydown", (event) => {
        if (event.key === "Enter") open(event);
      });
    }
  }
}

function describe(reason: unknown): string {
  if (!(reason instanceof RagdError)) return "Something went wrong.";
  return reason.code === "INVALID_REQUEST" ? "This note is not in the index yet." : reason.message;
}
