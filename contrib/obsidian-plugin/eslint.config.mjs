// Obsidian's own rules for plugins. A warning fails the test, too.
import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

export default defineConfig([
  globalIgnores([".build", "dist", "test", "node_modules"]),
  ...obsidianmd.configs.recommended,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ["eslint.config.mjs", "build.mjs"] } },
    },
  },
]);
