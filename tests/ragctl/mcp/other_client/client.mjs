// Vercel's MCP client (@ai-sdk/mcp, with its own implementation of the protocol) against a server.
// stdin: {"command", "args", "env", "answer", "steps": [[method, params], …]}; `answer`: what its person says to
// questions, or null if it cannot ask. stdout: {"hello", "questions", "results"}, or {"error"} in place of a result.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const wanted = JSON.parse(readFileSync(0, "utf8"));
const find = createRequire(pathToFileURL(`${process.cwd()}/package.json`));
const { createMCPClient, ElicitationRequestSchema } = find("@ai-sdk/mcp");
const { Experimental_StdioMCPTransport: Transport } = find("@ai-sdk/mcp/mcp-stdio");

const { command, args, env, answer, steps } = wanted;
const client = await createMCPClient({
  transport: new Transport({ command, args, env, stderr: "inherit" }),
  capabilities: answer === null ? {} : { elicitation: {} },
});
const questions = [];
if (answer !== null) {
  client.onElicitationRequest(ElicitationRequestSchema, async ({ params }) => {
    questions.push(params.message);
    return answer === "accept" ? { action: answer, content: {} } : { action: answer };
  });
}
const tools = await client.tools(); // fails for a schema or a name that it cannot use
const perform = {
  tools: () => client.listTools(),
  call: ({ name, arguments: given }) => tools[name].execute(given, { messages: [], toolCallId: "1" }),
  resources: () => client.listResources(),
  templates: () => client.listResourceTemplates(),
  read: ({ uri }) => client.readResource({ uri }),
};
const results = [];
for (const [method, params] of steps) {
  try {
    results.push(await perform[method](params));
  } catch (why) {
    results.push({ error: why.message, code: why.code ?? null });
  }
}
await client.close();
process.stdout.write(JSON.stringify({ questions, results }));
