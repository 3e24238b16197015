import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Case, Cell, Installed } from "./client.ts";

/** A library of the development dependencies, which runs in the suite's own process. */
export interface Library {
  /** Asks once, without tools. */
  ask(cell: Cell, prompt: string, streamed: boolean): Promise<Said>;
  /** Lets the library's own loop run until the model calls no more tools. */
  runTools(cell: Cell, prompt: string, streamed: boolean, tellWeather: TellWeather): Promise<string>;
  /** How many requests of a tool loop are refused before the library asks in another way. Default: none. */
  refusedInLoop?(cell: Cell): number;
}

export interface Said {
  readonly text: string;
  /** Input tokens with cached ones, and output tokens with reasoning; undefined if the library does not tell. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** The number of pieces of text; 1 if it was not streamed. */
  readonly pieces: number;
}

/** The tool that a model may call. Its input is a city. */
export type TellWeather = (input: unknown) => string;

export const weatherTool = {
  name: "get_weather",
  description: "Tells the weather.",
  schema: {
    type: "object" as const,
    properties: { city: { type: "string" as const } },
    required: ["city"],
    additionalProperties: false,
  },
};

const root = join(import.meta.dir, "..");
const cities = [{ city: "Paris" }, { city: "Rome" }];

/** @param variant in front of the names of the cases, if the library has several ways to the gateway */
export function libraryCases(library: Library, variant = ""): Case[] {
  const ways = [
    { streamed: false, suffix: "" },
    { streamed: true, suffix: ", streamed" },
  ];
  return ways.flatMap(({ streamed, suffix }) => [
    {
      name: `${variant}${streamed ? "streamed" : "plain"} answer`,
      async run(cell) {
        const { text, inputTokens, outputTokens, pieces } = await library.ask(
          cell,
          cell.prompt("How is it?", { text: "All is well today, and it will be well tomorrow." }),
          streamed,
        );
        assert.equal(text, "All is well today, and it will be well tomorrow.");
        assert.ok(!streamed || pieces > 1, "it came as one piece");
        if (inputTokens !== undefined) assert.deepEqual([inputTokens, outputTokens], [100, 30]);
        await cell.expectCharges(1);
      },
    },
    {
      name: `${variant}tool call${suffix}`,
      run: (cell: Cell) => expectTools(library, cell, streamed, {}),
    },
    {
      name: `${variant}tool call after thinking${suffix}`,
      run: (cell: Cell) => expectTools(library, cell, streamed, { reasoning: "Two cities are named." }),
    },
  ]);
}

async function expectTools(library: Library, cell: Cell, streamed: boolean, thought: object): Promise<void> {
  const asked: unknown[] = [];
  const tellWeather: TellWeather = (input) => {
    asked.push(input);
    return `${19 + asked.length} degrees`;
  };
  const calls = cities.map((city) => ({ name: weatherTool.name, arguments: city }));
  const prompt = cell.prompt("What is the weather?", { turns: [{ ...thought, tool_calls: calls }] });
  const text = await library.runTools(cell, prompt, streamed, tellWeather);
  assert.deepEqual(asked, cities, `the tools that ran, and then: ${text}`);
  // Without a script for its second step, the sandbox repeats the results.
  for (const result of ["20 degrees", "21 degrees"]) assert.ok(text.includes(result), text);
  await cell.expectCharges(2, library.refusedInLoop?.(cell));
}

/** A module of docs/clients.md, with this cell's values, as the page has it. The caller says what it exports. */
export async function importSettings<Exports>(cell: Cell, heading: string, label: string): Promise<Exports> {
  // Below the project's folder, so that its dependencies are found.
  const folder = join(root, "data", "clients", "modules");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${basename(cell.folder)}-${Bun.hash(cell.key + label)}.ts`);
  writeFileSync(file, await cell.settings(heading, label));
  try {
    return (await import(file)) as Exports;
  } finally {
    rmSync(file);
  }
}

/** A package of the development dependencies. */
export async function ownPackage(name: string): Promise<Installed> {
  const folder = join(root, "node_modules", name);
  const { version } = (await Bun.file(join(folder, "package.json")).json()) as { readonly version: string };
  return { folder, version };
}
