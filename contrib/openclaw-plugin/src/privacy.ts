/** What the settings allow in which kind of chat. Pure. */

import { type Envelope, failure } from "./envelope.js";
import type { Chat } from "./scope.js";
import type { Settings } from "./settings.js";

export function isOutOfScope(settings: Settings, chat: Chat): boolean {
  return settings.scope === "direct" && chat === "shared";
}

export function cites(settings: Settings, chat: Chat): boolean {
  return settings.citations === "on" || (settings.citations === "auto" && chat !== "shared");
}

export const NOT_HERE: Envelope = failure(
  "SCOPE_REFUSED",
  "Others can read this chat, and the user's notes are private.",
  "Ask again in a direct chat. The owner can allow it everywhere: set the plugin's scope to any.",
  { recoverable: false },
);
