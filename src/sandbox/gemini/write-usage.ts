import type { Tokens } from "../reply.ts";
import type { Script } from "../script/script.ts";

/** The `usageMetadata` set by the script: Google's format, an object, or undefined for none. */
export function writeUsage(tokens: Tokens, wanted: Script["usage"]): unknown {
  if (wanted === null || wanted === "none") return undefined;
  if (typeof wanted === "object") return wanted;
  const { input, cacheRead, output, reasoning } = tokens;
  const counts = {
    promptTokenCount: input,
    // Counts of 0 are omitted.
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  };
  switch (wanted) {
    case "prompt_only":
      return { promptTokenCount: input };
    case "completion_only":
      return { candidatesTokenCount: output };
    case "zeros":
      return { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };
    case "strings":
      return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
    default:
      return { ...counts, promptTokensDetails: [{ modality: "TEXT", tokenCount: input }] };
  }
}
