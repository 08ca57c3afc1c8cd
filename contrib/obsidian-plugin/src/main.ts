/** The plugin: registers the panel, the search, the status bar and the folder menu. */

import { FileSystemAdapter, Notice, Plugin, TFolder, type WorkspaceLeaf } from "obsidian";
import type { RagdStatus } from "./answers.js";
import { addFolderItem } from "./folder_menu.js";
import { Ragd, RagdError } from "./ragd.js";
import { RELATED_VIEW, RelatedView } from "./related_view.js";
import { SearchModal } from "./search_modal.js";
import { DEFAULTS, PanelSettingTab, type PanelSettings, readSettings } from "./settings.js";
import { statusText } from "./status_text.js";
import { pathPrefix } from "./vault_paths.js";

const EVERY_MS = 15_000;

export default class RagdPanel extends Plugin {
  readonly ragd = new Ragd(() => this.#settings.socketPath);
  #settings: PanelSettings = { ...DEFAULTS };
  #statusBar: HTMLElement | null = null;
  readonly #denied: { list: string[] } = { list: [] };
  #known: { prefix: string | null; until: number } | null = null;

  override async onload(): Promise<void> {
    this.#settings = readSettings(await this.loadData());
    this.registerView(RELATED_VIEW, (leaf: WorkspaceLeaf) => new RelatedView(leaf, this));
    this.addRibbonIcon("waypoints", "Search by meaning", () => this.openSearch());
    this.addCommand({ id: "search", name: "Search by meaning", callback: () => this.openSearch() });
    this.addCommand({
      id: "open-related",
      name: "Open related notes",
      callback: () => void this.openPanel(),
    });
    this.addCommand({ id: "sync", name: "Index what changed", callback: () => void this.sync() });
    this.addSettingTab(
      new PanelSettingTab(this.app, this, this.#settings, () => this.saveData(this.#settings)),
    );
    this.#statusBar = this.addStatusBarItem();
    this.registerEvent(
      this.app.workspace.on("file-open", (file) => {
        for (const view of this.#panels()) void view.showFor(file);
      }),
    );
    this.registerEvent(
      this.app.workspace.on("file-menu", (menu, file) => {
        if (file instanceof TFolder) addFolderItem(menu, file, this.ragd, this.#denied);
      }),
    );
    this.registerInterval(window.setInterval(() => void this.refresh(), EVERY_MS));
    this.app.workspace.onLayoutReady(() => void this.refresh());
  }

  /** How ragd begins the paths of the open vault; null if it does not read it. A search as you type
   * does not ask for it every time. */
  async prefix(): Promise<string | null> {
    if (this.#known === null || Date.now() > this.#known.until) {
      this.#keepPrefix(await this.ragd.status());
    }
    return this.#known?.prefix ?? null;
  }

  #keepPrefix(status: RagdStatus): void {
    const { adapter } = this.app.vault;
    const isOnDisk = adapter instanceof FileSystemAdapter;
    const prefix = isOnDisk ? pathPrefix(adapter.getBasePath(), status) : null;
    this.#known = { prefix, until: Date.now() + EVERY_MS };
  }

  openSearch(): void {
    new SearchModal(this.app, this).open();
  }

  async openPanel(): Promise<void> {
    const { workspace } = this.app;
    const [open] = workspace.getLeavesOfType(RELATED_VIEW);
    const leaf = open ?? workspace.getRightLeaf(false);
    if (leaf === null) return;
    if (open === undefined) await leaf.setViewState({ type: RELATED_VIEW, active: true });
    await workspace.revealLeaf(leaf);
  }

  async sync(): Promise<void> {
    try {
      await this.ragd.sync();
      new Notice("Ragd indexes what changed.");
    } catch (reason) {
      new Notice(reason instanceof RagdError ? reason.message : "Something went wrong.");
    }
    await this.refresh();
  }

  /** Asks for the state of ragd and shows it in the status bar. */
  async refresh(): Promise<void> {
    const bar = this.#statusBar;
    if (bar === null) return;
    try {
      const status = await this.ragd.status();
      this.#keepPrefix(status);
      const { short, long, health } = statusText(status, new Date());
      this.#denied.list = await this.ragd.deniedFolders();
      this.#show(bar, short, long, health);
    } catch (reason) {
      const why = reason instanceof RagdError ? reason.message : "Something went wrong.";
      this.#show(bar, "Ragd: off", why, "unavailable");
    }
  }

  #show(bar: HTMLElement, short: string, long: string, health: string): void {
    bar.setText(short);
    bar.setAttribute("aria-label", long);
    for (const one of ["degraded", "unavailable"]) {
      bar.toggleClass(`ragd-status-${one}`, health === one);
    }
  }

  #panels(): RelatedView[] {
    const leaves = this.app.workspace.getLeavesOfType(RELATED_VIEW);
    return leaves.map((leaf) => leaf.view).filter((view) => view instanceof RelatedView);
  }
}
