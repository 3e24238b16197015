import { errorEnvelope } from "../../errors.ts";
import { dataEvent, sseComment, sseContentType } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";

const done = dataEvent("[DONE]");

/** How the gateway itself speaks in a chat stream: `[DONE]` after a good one, an error in place of it after a bad one. */
export const chatStreamEnds: Pick<AnswerStream, "contentType" | "keepAlive" | "terminator" | "fail"> = {
  contentType: sseContentType,
  keepAlive: sseComment,
  terminator: () => done,
  fail: (error, requestId) => dataEvent(JSON.stringify(errorEnvelope(error, requestId))),
};
