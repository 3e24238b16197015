import { join } from "node:path";
import type { DialectName } from "../../test/dialects/names.testkit.ts";
import type { Case, Cell, Client } from "../client.ts";
import { tail } from "../program.ts";
import { type Environment, installEnvironment, pythonIn } from "./environment.ts";
import { type Answer, promptsOf, type StepName, steps } from "./steps.ts";

/** A client that is a Python library, and the program in programs/ that uses it. */
export interface PythonLibrary {
  readonly name: string;
  readonly title: string;
  readonly environment: Environment;
  /** The package on PyPI. */
  readonly main: string;
  readonly program: string;
  /** The heading of its settings in docs/clients.md. */
  readonly heading: string;
  readonly interfaces: readonly PythonInterface[];
}

interface PythonInterface {
  /** As the program knows it, and in the table. */
  readonly name: string;
  /** The label of its settings. */
  readonly settings: string;
  readonly steps: readonly StepName[];
  /** The requests that are refused because a provider cannot serve them; the client then asks in another way. */
  readonly refused?: Readonly<Partial<Record<DialectName, number>>>;
}

/** Time for a program's imports, which compile a hundred packages at their first use, and for its steps. */
const limitMs = 180_000;

export const allSteps = Object.keys(steps) as readonly StepName[];
export const stepsInWords = allSteps.filter((step) => step !== "structured");

export function pythonClient(library: PythonLibrary): Client {
  const { name, title, environment, main, program, heading, interfaces } = library;
  return {
    name,
    title,
    install: (folder) => installEnvironment(environment, main, folder),
    cases: interfaces.map((used) => caseOf(program, heading, used)),
  };
}

function caseOf(program: string, heading: string, used: PythonInterface): Case {
  return {
    name: used.name,
    limitMs,
    async run(cell) {
      const task = {
        interface: used.name,
        settings: await cell.settings(heading, used.settings),
        model: cell.model,
        prompts: promptsOf(used.steps, cell),
      };
      const { stdout, stderr } = await runPython(cell, program, JSON.stringify(task));
      const answers = stdout.split("\n").filter((line) => line.startsWith("{"));
      const found = new Map(answers.map((line) => JSON.parse(line) as Answer).map((answer) => [answer.step, answer]));
      const failures = used.steps.flatMap((step) => failureOf(step, found.get(step)) ?? []);
      if (failures.length > 0) throw new Error(`${failures.join("; ")}; ${tail(stderr, 300)}`);
      const refused = used.refused?.[cell.dialect] ?? 0;
      await cell.expectCharges(
        used.steps.reduce((sum, step) => sum + steps[step].requests, 0),
        refused,
      );
    },
  };
}

/** Runs one of the programs in programs/. */
export function runPython(cell: Cell, program: string, stdin: string, ...options: string[]) {
  const command = [pythonIn(cell.installed.folder), join(import.meta.dir, "programs", program), ...options];
  return cell.run(command, { stdin, environment: silent });
}

/** Telemetry that the libraries would send elsewhere. */
const silent = {
  LANGSMITH_TRACING: "false",
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  PYTHONDONTWRITEBYTECODE: "1",
};

function failureOf(step: StepName, answer: Answer | undefined): string | null {
  if (answer === undefined) return `${step}: the program ended before it`;
  if (answer.error !== undefined) return `${step}: ${answer.error}`;
  const wrong = steps[step].faultOf(answer);
  return wrong === null ? null : `${step}: ${wrong}`;
}
