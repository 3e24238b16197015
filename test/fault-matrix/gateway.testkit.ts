import type { DialectName } from "../dialects/names.testkit.ts";
import type { Provider } from "../../src/upstream/provider.ts";
import { startTestGateway, type TestGateway, type TestModel } from "../gateway.testkit.ts";
import { openDeafPort } from "./deaf-port.testkit.ts";
import type { Cell } from "./faults.testkit.ts";
import { openPlainPort, type PlainPort } from "./plain-port.testkit.ts";
import { answers, causeOf, patientTimeouts, scriptOf } from "./upstreams.testkit.ts";
import type { Which } from "./observation.testkit.ts";

/** A gateway with a model for every cell, in front of upstreams that fail accordingly. */
export interface MatrixGateway {
  readonly gateway: TestGateway;
  /** An admin key. */
  readonly adminKey: string;
  /** The number of connections to a cell's first target, if it is a port without TLS. */
  connectionsWithoutTls(cell: Cell): number;
  stop(): Promise<void>;
}

/** Micro-USD per million tokens: an input token costs one micro-USD, an output token two. */
const prices = { input: 1_000_000, output: 2_000_000 };

/** The price of a target's answer, in micro-USD. */
export function costOf(promptTokens: number, completionTokens: number): number {
  return promptTokens + 2 * completionTokens;
}

/** A label of more than 63 characters, which a resolver rejects without a lookup. */
const noSuchHost = `http://${"no-such-host".repeat(6)}.invalid`;

/** By convention port 1 is closed. */
const nobodyListens = "http://127.0.0.1:1";

/** The provider and model of a cell's first or second target. */
export function targetName(cell: Cell, target: Which): string {
  return `${cell.id}-${target}`;
}

const targetsOf = (cell: Cell): readonly Which[] => (cell.targets === 1 ? ["first"] : ["first", "second"]);

/** Starts the gateway. Each cell has its own providers, so that time limits and health are separate. */
export async function startMatrixGateway(cells: readonly Cell[]): Promise<MatrixGateway> {
  const deaf = await openDeafPort();
  const plain = new Map<Cell, PlainPort>();
  for (const cell of cells) if (causeOf(cell).elsewhere === "no TLS") plain.set(cell, await openPlainPort());

  const baseUrl = (cell: Cell, target: Which, sandboxUrl: string): string => {
    const elsewhere = target === "first" ? causeOf(cell).elsewhere : undefined;
    switch (elsewhere) {
      case undefined:
        return baseUrlOf(cell.dialect, sandboxUrl);
      case "no listener":
        return nobodyListens;
      case "no such host":
        return noSuchHost;
      case "no TLS":
        return `https://127.0.0.1:${plain.get(cell)?.port}`;
      case "never accepts":
        return `http://127.0.0.1:${deaf.port}`;
    }
  };
  const providersOf = (cell: Cell, sandboxUrl: string): (Partial<Provider> & { readonly id: string })[] =>
    targetsOf(cell).map((target) => ({
      id: targetName(cell, target),
      dialects: [cell.dialect],
      baseUrl: baseUrl(cell, target, sandboxUrl),
      apiKeys: ["sk-upstream"],
      timeouts: { ...patientTimeouts, ...(target === "first" ? causeOf(cell).timeouts : {}) },
    }));

  const gateway = await startTestGateway({
    providers: (sandboxUrl) => cells.flatMap((cell) => providersOf(cell, sandboxUrl)),
    models: cells.map(modelOf),
    sandbox: { log: { requests: 2 * cells.length, bytes: 16 << 20 } },
  });
  for (const cell of cells) {
    for (const target of targetsOf(cell)) gateway.sandbox.setModel(targetName(cell, target), scriptOf(cell, target));
  }
  return {
    gateway,
    adminKey: (await gateway.newKey({ admin: true })).key,
    connectionsWithoutTls: (cell) => plain.get(cell)?.connections ?? 0,
    async stop() {
      await gateway.stop();
      deaf.close();
      for (const port of plain.values()) port.close();
    },
  };
}

function modelOf(cell: Cell): TestModel {
  const targets = targetsOf(cell).map((target) => {
    const name = targetName(cell, target);
    return { provider: name, model: name };
  });
  return { id: cell.id, targets, parameters: {}, prices };
}

/** @param sandboxUrl ends with `/v1` */
function baseUrlOf(dialect: DialectName, sandboxUrl: string): string {
  return dialect.startsWith("openai") ? sandboxUrl : sandboxUrl.replace(/\/v1$/, "");
}

/** The price of a complete answer of one of the targets. */
export function fullCostOf(target: Which): number {
  return costOf(answers[target].input, answers[target].output);
}
