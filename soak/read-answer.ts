/** An answer as parsed by a caller, independent of the gateway's code. */
export interface ReadAnswer {
  /** `whole`: complete. `failed`: with an error. `torn`: incomplete without an error. */
  readonly ending: "whole" | "failed" | "torn";
  /** The reported tokens; null if there are none. */
  readonly usage: { readonly input: number; readonly output: number } | null;
}

/** Parses the body of a 200, JSON or an event stream, in any dialect. */
export function readAnswer(text: string, isStream: boolean): ReadAnswer {
  const documents = isStream ? eventsOf(text) : [parse(text)];
  const usage = usageOf(documents);
  if (documents.some(saysFailed)) return { ending: "failed", usage };
  const isWhole = isStream ? documents.some(endsStream) || text.endsWith("data: [DONE]\n\n") : isObject(documents[0]);
  return { ending: isWhole ? "whole" : "torn", usage };
}

function eventsOf(text: string): unknown[] {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => parse(line.slice("data:".length)));
}

function saysFailed(document: unknown): boolean {
  if (!isObject(document)) return false;
  const { type, error } = document;
  return type === "error" || type === "response.failed" || isObject(error);
}

/** Whether this is a terminal event. Chat has `[DONE]` instead. */
function endsStream(document: unknown): boolean {
  if (!isObject(document)) return false;
  const { type, candidates } = document;
  if (type === "message_stop" || type === "response.completed" || type === "response.incomplete") return true;
  return (
    Array.isArray(candidates) && candidates.some((each) => isObject(each) && typeof each.finishReason === "string")
  );
}

/** The usage; later events replace earlier ones. */
function usageOf(documents: readonly unknown[]): ReadAnswer["usage"] {
  let input: number | null = null;
  let output: number | null = null;
  for (const document of documents) {
    if (!isObject(document)) continue;
    for (const holder of [document, document.message, document.response]) {
      if (!isObject(holder)) continue;
      const usage = isObject(holder.usage) ? holder.usage : holder.usageMetadata;
      if (!isObject(usage)) continue;
      input = sum(usage, ["prompt_tokens", "input_tokens", "promptTokenCount"]) ?? input;
      output =
        sum(usage, ["completion_tokens", "output_tokens", "candidatesTokenCount", "thoughtsTokenCount"]) ?? output;
    }
  }
  return input === null ? null : { input, output: output ?? 0 };
}

function sum(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number | null {
  const given = names.map((name) => usage[name]).filter((value) => typeof value === "number");
  return given.length === 0 ? null : given.reduce((total, value) => total + value, 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
