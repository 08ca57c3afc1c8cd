/** The whole plugin, in the mock of Obsidian, with a real daemon. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Menu as RealMenu, TFile, WorkspaceLeaf as RealLeaf } from "obsidian";
import { Menu, WorkspaceLeaf } from "obsidian-test-mocks/obsidian";
import { RELATED_VIEW, RelatedView } from "../src/related_view.js";
import { SearchModal, type Suggestion } from "../src/search_modal.js";
import { type Opened, openVault, until } from "./opened_vault.js";
import { RealRagd, withoutRagd } from "./real_ragd.js";

const EVIL = "<img src=x onerror=alert(1)> A heron in the <b>reeds</b> by the weir.\n";
const NOTES = {
  "Birds/Heron.md": "# Heron\n\nA grey heron stands at the weir. See [[Kingfisher]].\n",
  "Birds/Kingfisher.md": "# Kingfisher\n\nA kingfisher dives at the weir, near the heron.\n",
  "Private/Diary.md": "The heron was here again today, at the weir.\n",
  "Evil.md": EVIL,
  "Money.md": "I owe Sreenivas 120 dollars for the tickets.\n",
  "Tea.md": "Strong black tea, three minutes.\n",
};

describe("the plugin with a real ragd", { skip: withoutRagd }, () => {
  let ragd: RealRagd;
  let opened: Opened;

  before(async () => {
    ragd = new RealRagd(NOTES);
    opened = await openVault(ragd.vault, Object.keys(NOTES), ragd.socket);
  });
  after(() => {
    opened.plugin.unload();
    ragd.end();
  });

  const panel = (): RelatedView => {
    const leaf = WorkspaceLeaf.create2__(opened.app) as unknown as RealLeaf;
    return new RelatedView(leaf, opened.plugin);
  };
  const file = (path: string): TFile =>
    opened.app.vault.getFileByPath(path) as unknown as TFile;
  const modal = (): SearchModal => new SearchModal(opened.plugin.app, opened.plugin);
  const rendered = (view: SearchModal, one: Suggestion): HTMLElement => {
    const el = document.createElement("div");
    view.renderSuggestion(one, el);
    return el;
  };
  const paths = (found: Suggestion[]): string[] =>
    found.flatMap((one) => (one.kind === "passage" ? [one.passage.path] : []));

  it("shows the notes related to the open one, with the reasons", async () => {
    const view = panel();
    await view.showFor(file("Birds/Heron.md"));
    const rows = [...view.contentEl.querySelectorAll(".ragd-note")];
    const titles = rows.map((row) => row.firstElementChild?.textContent);
    assert.equal(titles[0], "Kingfisher");
    assert.match(rows[0]?.textContent ?? "", /linked from “Heron”/);
    (rows[0] as HTMLElement).click();
    const link = await until(() => opened.links.pop());
    assert.equal(link.path, "Birds/Kingfisher.md");
  });

  it("says so if a note is not in the index, or none is open", async () => {
    const view = panel();
    await view.showFor(null);
    assert.match(view.contentEl.textContent ?? "", /Open a note/);
    opened.app.vault.createSync__("New.md", "");
    await view.showFor(file("New.md"));
    assert.match(view.contentEl.textContent ?? "", /not in the index yet/);
  });

  it("lets go of the rows that it does not show any more", async () => {
    const view = panel();
    view.load();
    await view.showFor(file("Birds/Heron.md"));
    const row = view.contentEl.querySelector(".ragd-note");
    assert.ok(row);
    await view.showFor(null);
    opened.links.length = 0;
    row.dispatchEvent(new window.MouseEvent("click"));
    assert.deepEqual(opened.links, []);
  });

  it("drops the answer about a note that is not open any more", async () => {
    const view = panel();
    const slow = view.showFor(file("Birds/Heron.md"));
    await view.showFor(null);
    await slow;
    assert.match(view.contentEl.textContent ?? "", /Open a note/);
  });

  it("finds passages by meaning and opens them at their line", async () => {
    const view = modal();
    const found = await view.getSuggestions("which bird catches fish at the river?");
    assert.ok(paths(found).includes("Birds/Kingfisher.md"));
    const best = found.find(
      (one) => one.kind === "passage" && one.passage.path === "Birds/Kingfisher.md",
    );
    assert.ok(best?.kind === "passage");
    view.onChooseSuggestion(best, new window.MouseEvent("click"));
    const link = await until(() => opened.links.pop());
    assert.deepEqual(link, { path: "Birds/Kingfisher.md", line: best.passage.line - 1 });
  });

  it("shows the text of notes as text, never as markup", async () => {
    const view = modal();
    const found = await view.getSuggestions("heron in the reeds");
    const evil = found.find((one) => one.kind === "passage" && one.passage.path === "Evil.md");
    assert.ok(evil?.kind === "passage");
    const forged = { ...evil.passage, text: EVIL, title: EVIL, path: EVIL };
    const el = rendered(view, { kind: "passage", passage: forged });
    assert.equal(el.querySelectorAll("img, b").length, 0);
    assert.ok(el.textContent?.includes("<img src=x onerror=alert(1)>"));
  });

  it("answers only the newest question", async () => {
    const view = modal();
    const first = view.getSuggestions("heron");
    const second = view.getSuggestions("tea");
    assert.deepEqual(await first, []);
    assert.deepEqual(paths(await second), ["Tea.md"]);
    assert.deepEqual(await view.getSuggestions("  "), []);
  });

  it("shows withheld passages only when they are asked for", async () => {
    ragd.ragctl("config", "set", "security.sensitive", "block");
    try {
      const view = modal();
      const found = await view.getSuggestions("how much do I owe Sreenivas?");
      assert.ok(!paths(found).includes("Money.md"));
      const withheld = found.find((one) => one.kind === "withheld");
      assert.ok(withheld);
      assert.match(rendered(view, withheld).textContent ?? "", /Show 1 sensitive passage/);
      const shown = await opened.plugin.ragd.search({
        query: "how much do I owe Sreenivas?",
        most: 20,
        confirm: withheld.kind === "withheld" ? withheld.confirm : "",
      });
      assert.ok(shown.passages.some((one) => one.path === "Money.md" && one.isSensitive));
    } finally {
      ragd.ragctl("config", "set", "security.sensitive", "flag");
    }
  });

  it("has freshness and health in the status bar", async () => {
    await opened.plugin.refresh();
    const [bar] = (opened.plugin as unknown as { statusBarItems__: HTMLElement[] }).statusBarItems__;
    assert.match(bar?.textContent ?? "", /^Ragd: (up to date|indexing|\d+ waiting)/);
    assert.match(bar?.getAttribute("aria-label") ?? "", /6 notes in the index, synced/);
  });

  it("never indexes a folder, and indexes it again", async () => {
    const folder = opened.app.vault.getFolderByPath("Private");
    const click = async (title: RegExp): Promise<void> => {
      const menu = Menu.create2__();
      const original: unknown = menu.asOriginalType2__();
      opened.app.workspace.trigger("file-menu", original as RealMenu, folder);
      const item = menu.menuItems__.find((one) => title.test(String(one.title__)));
      assert.ok(item, String(title));
      await item.onClick__?.(new window.MouseEvent("click"));
    };
    const finds = async (): Promise<boolean> =>
      paths(await modal().getSuggestions("heron here again today")).includes("Private/Diary.md");
    assert.ok(await finds());
    await click(/^Index this folder: never$/);
    assert.ok(!(await finds()));
    await click(/^Index this folder again$/);
    for (let tries = 0; !(await finds()); tries += 1) assert.ok(tries < 100);
  });

  it("offers nothing for a file, and nothing for the whole vault", () => {
    for (const what of [opened.app.vault.getRoot(), opened.app.vault.getFileByPath("Tea.md")]) {
      const menu = Menu.create2__();
      opened.app.workspace.trigger("file-menu", menu.asOriginalType2__(), what);
      assert.equal(menu.menuItems__.length, 0);
    }
  });

  it("registers its view, its commands without hotkeys, and its settings", () => {
    const seen = opened.plugin as unknown as {
      views__: Map<string, unknown>;
      commands__: Map<string, { hotkeys?: unknown }>;
      settingTabs__: unknown[];
    };
    assert.deepEqual([...seen.views__.keys()], [RELATED_VIEW]);
    const commands = [...seen.commands__.values()];
    assert.equal(commands.length, 3);
    assert.ok(commands.every((one) => one.hotkeys === undefined));
    assert.equal(seen.settingTabs__.length, 1);
  });

  it("says so if ragd does not index the open vault", async () => {
    const other = await openVault(ragd.home, ["Tea.md"], ragd.socket);
    other.plugin.unload();
    assert.equal(await other.plugin.prefix(), null);
    const view = new SearchModal(other.plugin.app, other.plugin);
    const [said] = await view.getSuggestions("tea");
    assert.ok(said?.kind === "message" && /does not index this vault/.test(said.message));
  });

  it("says how to start ragd if it is not running", async () => {
    const off = await openVault(ragd.vault, ["Tea.md"], `${ragd.home}/absent.sock`);
    off.plugin.unload();
    await off.plugin.refresh();
    const [bar] = (off.plugin as unknown as { statusBarItems__: HTMLElement[] }).statusBarItems__;
    assert.equal(bar?.textContent, "Ragd: off");
    assert.match(bar?.getAttribute("aria-label") ?? "", /ragctl start/);
    const [said] = await new SearchModal(off.plugin.app, off.plugin).getSuggestions("tea");
    assert.ok(said?.kind === "message" && /ragctl start/.test(said.message));
  });
});
