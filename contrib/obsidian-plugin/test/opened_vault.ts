/** Obsidian's published mock with a vault open, and the plugin loaded in it. */

import type { App as RealApp, PluginManifest } from "obsidian";
import { App, FileSystemAdapter } from "obsidian-test-mocks/obsidian";
import manifest from "../manifest.json" with { type: "json" };
import RagdPanel from "../src/main.js";

export interface Opened {
  app: App;
  plugin: RagdPanel;
  /** What was opened, with the line. */
  links: { path: string; line: number | undefined }[];
}

/** Open a vault at this folder, with these files, and load the plugin. */
export async function openVault(
  folder: string,
  files: Iterable<string>,
  socketPath: string,
): Promise<Opened> {
  const app = App.createConfigured__({
    files: Object.fromEntries([...files].map((path) => [path, ""])),
  });
  app.vault.adapter = FileSystemAdapter.create__(folder).asOriginalType__();
  const links: Opened["links"] = [];
  app.workspace.openLinkText = (path, _source, _newLeaf, state) => {
    const place = state?.eState as { line: number } | undefined;
    links.push({ path, line: place?.line });
    return Promise.resolve();
  };
  const original: RealApp = app.asOriginalType__();
  const plugin = new RagdPanel(original, manifest as PluginManifest);
  await plugin.saveData({ socketPath });
  await plugin.onload();
  return { app, plugin, links };
}

/** Waits until it returns something. */
export async function until<T>(seen: () => T | null | undefined | false): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = seen();
    if (found) return found;
    if (Date.now() > deadline) throw new Error("it did not happen");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
