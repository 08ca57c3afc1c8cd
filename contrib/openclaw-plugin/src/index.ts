/** The entry that OpenClaw loads. */

import { defineToolPlugin } from "openclaw/plugin-sdk/tool-plugin";

import { ABOUT, declarations, registerExtras } from "./plugin.js";

const entry = defineToolPlugin({
  ...ABOUT,
  tools: (tool) => declarations().map((declaration) => tool(declaration)),
});

const registerTools = entry.register;
entry.register = (api) => {
  registerTools(api);
  registerExtras(api);
};

export default entry;
