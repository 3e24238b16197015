import type { Cell } from "../client.ts";
import type { Script } from "../../src/sandbox/server.ts";
import { scriptedTokens } from "../gateway.ts";

/** What a program writes of a step; see `Answer` in programs/suite.py. */
export interface Answer {
  readonly step: string;
  readonly error?: string;
  readonly text: string;
  readonly input: number | null;
  readonly output: number | null;
  readonly pieces: number;
  readonly cities: readonly string[];
  readonly person: { readonly name: string; readonly age: number } | null;
}

interface Step {
  readonly script: Script;
  /** How many requests follow the script. */
  readonly requests: number;
  /** What is wrong with the answer. */
  faultOf(answer: Answer): string | null;
}

const text = "Bright and clear.";
const cities = ["Paris", "Rome"];
const calls = cities.map((city) => ({ name: "get_weather", arguments: { city } }));

export const steps = {
  plain: {
    script: { text },
    requests: 1,
    faultOf: (answer) => textFault(answer) ?? usageFault(answer),
  },
  streamed: {
    script: { text, chunks: 4 },
    requests: 1,
    faultOf: (answer) =>
      textFault(answer) ?? usageFault(answer) ?? (answer.pieces > 1 ? null : "the text came in one piece"),
  },
  "tool loop": { script: { turns: [{ tool_calls: calls }] }, requests: 2, faultOf: loopFault },
  "tool loop, streamed": { script: { turns: [{ tool_calls: calls }] }, requests: 2, faultOf: loopFault },
  structured: {
    script: {},
    requests: 1,
    faultOf: ({ person }) =>
      typeof person?.name === "string" && typeof person.age === "number" ? null : `got ${JSON.stringify(person)}`,
  },
} as const satisfies Readonly<Record<string, Step>>;

export type StepName = keyof typeof steps;

/** The prompts of some steps, each with its script. */
export function promptsOf(names: readonly StepName[], cell: Cell): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, cell.prompt("Hi", steps[name].script)]));
}

function textFault(answer: Answer): string | null {
  return answer.text === text ? null : `the text is '${answer.text}'`;
}

function usageFault({ input, output }: Answer): string | null {
  // Some clients give no usage for streams.
  if (input === null && output === null) return null;
  const right = input === scriptedTokens.input && output === scriptedTokens.output;
  return right ? null : `the usage is ${input} and ${output} tokens`;
}

function loopFault({ cities: asked, text }: Answer): string | null {
  if (asked.toSorted().join() !== cities.join()) return `the tool ran for ${JSON.stringify(asked)}`;
  return cities.every((city) => text.includes(`20 degrees in ${city}`)) ? null : `the last text is '${text}'`;
}
