import { expect } from "bun:test";

/** The end of a valid stream. */
export const done = "data: [DONE]\n\n";

/** The text with LF line ends. */
export function oneNewline(text: string): string {
  return text.replaceAll(/\r\n|\r/g, "\n");
}

/** The data of all events, parsed according to the specification of event streams. */
export function dataOf(text: string): string[] {
  return oneNewline(text)
    .split("\n\n")
    .map((event) =>
      event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(line.startsWith("data: ") ? 6 : 5))
        .join("\n"),
    )
    .filter((data) => data !== "");
}

interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Choice {
  readonly delta?: { readonly content?: string; readonly tool_calls?: readonly ToolCallDelta[] };
  readonly finish_reason?: string;
}

interface Chunk {
  readonly choices?: readonly Choice[];
  readonly usage?: { readonly total_tokens: number } | null;
}

/** All chunks of a stream, without `[DONE]`. */
export function chunksOf(text: string): Chunk[] {
  return dataOf(text)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Chunk);
}

/** The tool calls of the first choice, put together from their pieces. */
export function toolCallsOf(chunks: readonly Chunk[]) {
  const calls: { ids: string[]; name: string; arguments: string }[] = [];
  for (const { index, id, function: piece } of chunks.flatMap((each) => each.choices?.[0]?.delta?.tool_calls ?? [])) {
    const call = (calls[index] ??= { ids: [], name: "", arguments: "" });
    if (id !== undefined) call.ids.push(id);
    call.name += piece?.name ?? "";
    call.arguments += piece?.arguments ?? "";
  }
  return calls;
}

/** The text of the first choice. */
export const textOf = (chunks: readonly Chunk[]) =>
  chunks.map((each) => each.choices?.[0]?.delta?.content ?? "").join("");
export const idOf = (response: Response) => response.headers.get("x-service-request-id");

/** Checks that a stream ends with one `[DONE]`. */
export function expectGoodEnd(text: string) {
  expect(text.endsWith(done)).toBe(true);
  expect(dataOf(text).filter((data) => data === "[DONE]").length).toBe(1);
}
