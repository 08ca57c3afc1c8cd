/** The entry that OpenClaw loads. That it is a memory plugin stands in openclaw.plugin.json. */

import { defineToolPlugin } from "openclaw/plugin-sdk/tool-plugin";

import type { MemoryApi } from "./host.js";
import { ABOUT_MEMORY, memoryDeclarations, registerMemory } from "./plugin.js";

const entry = defineToolPlugin({
  ...ABOUT_MEMORY,
  tools: (tool) => memoryDeclarations().map((declaration) => tool(declaration)),
});

const registerTools = entry.register;
entry.register = (api) => {
  registerTools(api);
  registerMemory(api as unknown as MemoryApi);
};

export default entry;
