import type { Cell } from "../client.ts";
import { tail } from "../program.ts";
import { seed } from "./answers.ts";
import exceptions from "./exceptions.json" with { type: "json" };
import { runPython } from "./program.ts";

/** What a validator is given: a whole answer, an event of a stream, or the body of a stream. */
export type AnswerKind = "whole" | "event" | "stream";

/** One line that a validator writes; the last one counts what it has read. */
interface Finding {
  readonly problem?: string;
  /** The shortest answer that has the problem. */
  readonly value?: unknown;
  readonly validated?: number;
}

/** An answer for a validator, whose value is JSON text. */
export function answerLine(kind: AnswerKind, value: string): string {
  return `{"kind":"${kind}","value":${value}}`;
}

/** Has a program validate answers to a caller of the cell's dialect. Throws with what is wrong and no known exception. */
export async function validate(cell: Cell, program: string, lines: readonly string[]): Promise<void> {
  const { stdout, stderr } = await runPython(cell, program, lines.join("\n"), cell.dialect);
  const findings = stdout
    .split("\n")
    .filter((text) => text.startsWith("{"))
    .map((text) => JSON.parse(text) as Finding);
  if (findings.at(-1)?.validated !== lines.length) throw new Error(`the validation ended early: ${tail(stderr)}`);
  const known = exceptions.filter((exception) => exception.program === program && exception.dialect === cell.dialect);
  const allowed = new Set(known.flatMap(({ problems }): readonly string[] => problems));
  const faults = findings.filter(({ problem }) => problem !== undefined && !allowed.has(problem));
  if (faults.length === 0) return;
  const words = faults.map(({ problem, value }) => `${problem} (${JSON.stringify(value)})`);
  throw new Error(`${faults.length} problems with CLIENTS_SEED=${seed}: ${words.join("; ")}`);
}
