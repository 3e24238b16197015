import type { Cell } from "../client.ts";

/** A workflow that is started by hand, and whose nodes run one after another. */
export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly nodes: readonly object[];
  readonly connections: Readonly<Record<string, object>>;
  readonly settings: object;
}

interface Step {
  readonly name: string;
  /** Of the package of nodes for models. */
  readonly type: string;
  readonly typeVersion: number;
  readonly parameters: object;
  /** Whether the step asks the gateway itself, and not through a node for a model. */
  readonly asks?: boolean;
}

const packageName = "@n8n/n8n-nodes-langchain";
const firstNode = "By hand";

/** Both ways in which the node "OpenAI Chat Model" asks. */
export const interfaces = [
  { name: "Chat Completions", responsesApiEnabled: false },
  { name: "Responses", responsesApiEnabled: true },
];

/** The name of a tool is that of its node. */
export const calculator = "Calculator";

/** A chain and an agent with a calculator over each interface, and a message of the node "OpenAI". */
export function allWays(cell: Cell, prompts: { readonly plain: string; readonly reckon: string }): Workflow {
  const steps = interfaces.flatMap(({ name }) => [chain(name, prompts.plain), agent(name, prompts.reckon)]);
  return workflow(cell, [...steps, message(cell, prompts.plain)]);
}

export function oneChain(cell: Cell, prompt: string): Workflow {
  return workflow(cell, [chain("Responses", prompt)]);
}

function chain(by: string, text: string): Step {
  const parameters = { promptType: "define", text, batching: {} };
  return { name: `Chain by ${by}`, type: "chainLlm", typeVersion: 1.9, parameters };
}

function agent(by: string, text: string): Step {
  const parameters = { promptType: "define", text, options: {} };
  return { name: `Agent by ${by}`, type: "agent", typeVersion: 3.1, parameters };
}

function message(cell: Cell, content: string): Step {
  const parameters = {
    resource: "text",
    operation: "response",
    modelId: byId(cell.model),
    responses: { values: [{ type: "text", role: "user", content }] },
    simplify: true,
    builtInTools: {},
    options: {},
  };
  return { name: "Message", type: "openAi", typeVersion: 2.1, parameters, asks: true };
}

function workflow(cell: Cell, steps: readonly Step[]): Workflow {
  const names = steps.map(({ name }) => name);
  const credentials = { openAiApi: { id: "tollgate", name: "Tollgate" } };
  const models = interfaces.map(({ name, responsesApiEnabled }) => ({
    name,
    type: "lmChatOpenAi",
    typeVersion: 1.3,
    parameters: { model: byId(cell.model), responsesApiEnabled, options: {} },
    asks: true,
  }));
  const tool = { name: calculator, type: "toolCalculator", typeVersion: 1, parameters: {} };
  const nodes = [...steps, ...models, tool].map(({ asks = false, type, ...node }: Step) => ({
    ...node,
    id: node.name,
    type: `${packageName}.${type}`,
    position: [0, 0],
    ...(asks && { credentials }),
  }));
  const start = { type: "n8n-nodes-base.manualTrigger", typeVersion: 1, position: [0, 0], parameters: {} };
  return {
    id: "suite",
    name: "Suite",
    active: false,
    nodes: [{ id: firstNode, name: firstNode, ...start }, ...nodes],
    connections: {
      ...Object.fromEntries(names.map((name, index) => [names[index - 1] ?? firstNode, link("main", [name])])),
      ...Object.fromEntries(
        models.map(({ name }) => [
          name,
          link(
            "ai_languageModel",
            names.filter((step) => step.endsWith(`by ${name}`)),
          ),
        ]),
      ),
      [calculator]: link(
        "ai_tool",
        names.filter((step) => step.startsWith("Agent")),
      ),
    },
    settings: { executionOrder: "v1" },
  };
}

function link(type: string, nodes: readonly string[]): object {
  return { [type]: [nodes.map((node) => ({ node, type, index: 0 }))] };
}

function byId(model: string): object {
  return { __rl: true, mode: "id", value: model };
}
