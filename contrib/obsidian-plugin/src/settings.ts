/** The settings of the plugin: where ragd's socket is. */

import {
  type App,
  type Plugin,
  PluginSettingTab,
  Setting,
  type SettingDefinitionItem,
} from "obsidian";

export interface PanelSettings {
  /** Empty: ragd's own choice. */
  socketPath: string;
}

const NAME = "Socket";
const DESCRIPTION = "The path of ragd's socket. Leave it empty unless ragd has a home of its own.";

export const DEFAULTS: PanelSettings = { socketPath: "" };

/** The settings in the plugin's data, which may be anything. */
export function readSettings(data: unknown): PanelSettings {
  const found = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  const socketPath = found["socketPath"];
  return { socketPath: typeof socketPath === "string" ? socketPath : DEFAULTS.socketPath };
}

export class PanelSettingTab extends PluginSettingTab {
  readonly #settings: PanelSettings;
  readonly #save: () => Promise<void>;

  constructor(app: App, plugin: Plugin, settings: PanelSettings, save: () => Promise<void>) {
    super(app, plugin);
    this.#settings = settings;
    this.#save = save;
  }

  /** For Obsidian 1.13 and later, whose settings can be searched. */
  override getSettingDefinitions(): SettingDefinitionItem[] {
    return [{ name: NAME, desc: DESCRIPTION, render: (setting) => this.#addInput(setting) }];
  }

  override display(): void {
    this.containerEl.empty();
    this.#addInput(new Setting(this.containerEl).setName(NAME).setDesc(DESCRIPTION));
  }

  #addInput(setting: Setting): void {
    setting.addText((input) =>
      input
        .setPlaceholder("~/.obsidian-rag/ragd.sock")
        .setValue(this.#settings.socketPath)
        .onChange(async (value) => {
          this.#settings.socketPath = value.trim();
          await this.#save();
        }),
    );
  }
}
