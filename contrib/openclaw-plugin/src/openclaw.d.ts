/** The only import from OpenClaw, which resolves it when it loads the plugin. Only the types that are
 * used; `make test-openclaw` checks the code against OpenClaw's own types. */
declare module "openclaw/plugin-sdk/tool-plugin" {
  interface Declaration {
    name: string;
    label: string;
    description: string;
    parameters: Record<string, unknown>;
    factory(context: import("./host.js").FactoryContext): import("./host.js").Tool;
  }
  interface Entry {
    register(api: import("./host.js").Api): void;
  }
  export function defineToolPlugin(definition: {
    id: string;
    name: string;
    description: string;
    configSchema: object;
    tools(tool: (declaration: Declaration) => unknown): unknown[];
  }): Entry;
}
