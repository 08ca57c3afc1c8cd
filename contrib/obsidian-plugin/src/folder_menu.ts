/** "Index this folder: never", in the menu of a folder. */

import { type Menu, Notice, type TFolder } from "obsidian";
import { type Ragd, RagdError } from "./ragd.js";

const MAGIC = /[*?[]/g;

/** The menu entry for a folder of ragd's vault. `denied`: the folders on the deny list, which it updates. */
export function addFolderItem(
  menu: Menu,
  folder: TFolder,
  ragd: Ragd,
  denied: { list: string[] },
): void {
  if (folder.isRoot()) return;
  const never = !isDenied(folder.path, denied.list);
  menu.addItem((item) =>
    item
      .setTitle(never ? "Index this folder: never" : "Index this folder again")
      .setIcon(never ? "eye-off" : "eye")
      .onClick(async () => {
        try {
          denied.list = await ragd.setNever(folder.path, never);
          new Notice(never ? neverNotice(folder) : `Ragd indexes ${folder.path} again.`);
        } catch (reason) {
          new Notice(reason instanceof RagdError ? reason.message : "Something went wrong.");
        }
      }),
  );
}

/** Whether this folder itself is on the list. Its characters are no pattern there. */
export function isDenied(path: string, denied: string[]): boolean {
  const entry = comparable(path.replace(MAGIC, "[$&]"));
  return denied.some((one) => comparable(one) === entry);
}

function neverNotice(folder: TFolder): string {
  const same = folder.path.includes("/") ? "" : " Neither is any other folder with this name.";
  return `${folder.path} is not indexed any more.${same} Its notes are no longer found.`;
}

function comparable(entry: string): string {
  return entry.normalize("NFC").toLowerCase();
}
