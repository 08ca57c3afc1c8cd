/** Opens a note that ragd found, at its line. */

import { type App, Notice } from "obsidian";
import { pathInVault } from "./vault_paths.js";

export async function openNote(
  app: App,
  path: string,
  prefix: string,
  { line = 1, newTab = false }: { line?: number; newTab?: boolean } = {},
): Promise<void> {
  const inside = pathInVault(path, prefix);
  if (inside === null || app.vault.getFileByPath(inside) === null) {
    new Notice(`${path} is not in this vault. Show it in a terminal: ragctl show`);
    return;
  }
  await app.workspace.openLinkText(inside, "", newTab, { eState: { line: line - 1 } });
}
