import { errorEnvelope } from "../../errors.ts";
import { dataEvent } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";

const done = dataEvent("[DONE]");

/** How a chat stream ends: `[DONE]` after a good one, an error in place of it after a bad one. */
export const chatStreamEnds: Pick<AnswerStream, "terminator" | "fail"> = {
  terminator: () => done,
  fail: (error, requestId) => dataEvent(JSON.stringify(errorEnvelope(error, requestId))),
};
