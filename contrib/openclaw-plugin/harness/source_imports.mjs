// Lets the harness import the plugin's sources as they are: an import of "./x.js" means "./x.ts"
// where only that file exists. Loaded with `node --import`.

import { existsSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.startsWith("file:")) {
      const source = new URL(specifier.replace(/\.js$/, ".ts"), context.parentURL);
      if (existsSync(source) && !existsSync(new URL(specifier, context.parentURL))) return next(source.href, context);
    }
    return next(specifier, context);
  },
});
