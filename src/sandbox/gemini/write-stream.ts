import type { Frame } from "../dialect.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { common, finishOf, logprobsOf, partsOf, type GeminiWireOptions } from "./write-answer.ts";
import { writeUsage } from "./write-usage.ts";

/**
 * An answer as a stream of GenerateContentResponse chunks: one for each part, then one for each candidate with an empty
 * text and the finish reason. Every chunk has the usage. `form` selects the framing.
 */
export function* writeStream(
  reply: Reply,
  script: Script,
  wire: GeminiWireOptions,
  form: Frame["form"],
): Generator<Frame> {
  const usageMetadata = writeUsage(reply.tokens, script.usage);
  const chunk = (index: number, part: object, more: object): Frame => ({
    data: JSON.stringify({
      candidates: [{ content: { parts: [part], role: "model" }, index, ...more }],
      usageMetadata,
      ...common(reply),
    }),
    form,
  });
  for (const [index, choice] of reply.choices.entries()) {
    for (const part of partsOf(choice, script, wire)) {
      const isText = part.text !== undefined && part.thought !== true && part.text !== "";
      yield chunk(index, part, wire.logprobs && isText ? { logprobsResult: logprobsOf([part.text ?? ""]) } : {});
    }
  }
  if (script.no_done === true) return;
  for (const [index, choice] of reply.choices.entries()) yield chunk(index, { text: "" }, finishOf(choice));
}
