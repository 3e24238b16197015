import type { Call } from "../dialect.ts";
import { promptOfTexts } from "../prompt.ts";
import { Refusal } from "../refusal.ts";
import type { JobScript } from "./job-script.ts";

/**
 * A call that begins a job when its answer is written: an answer that is then lost leaves the job behind, and one with an error
 * status begins none.
 * @param model as scripts name it
 * @param begin returns the answer
 */
export function jobCall(
  model: string,
  text: string,
  begin: (id: string, script: JobScript | undefined) => unknown,
): Call {
  const noStream = (): never => {
    throw new Refusal(400, "Jobs have no events.");
  };
  return {
    prompt: promptOfTexts(model, [text]),
    stream: false,
    directives: undefined,
    check() {},
    writeJson: (_reply, { job }) => JSON.stringify(begin(crypto.randomUUID(), job)),
    streamContentType: "text/event-stream",
    writeStream: noStream,
    errorFrame: (failure) => ({ data: JSON.stringify(failure) }),
  };
}
