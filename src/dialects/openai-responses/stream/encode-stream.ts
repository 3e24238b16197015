import { systemClock, type Clock } from "../../../clock.ts";
import { openCollector } from "../../../conversation/collect.ts";
import type { Part } from "../../../conversation/parts.ts";
import type { TokenLogprob } from "../../../conversation/response.ts";
import type { ResponseStart, StreamEvent } from "../../../conversation/stream.ts";
import type { GatewayError } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { AnswerContext, StreamEncoder } from "../../codec.ts";
import { compacted, endsWithTrigger } from "../compaction.ts";
import { openEventWriter, writeBreak } from "./event-writer.ts";
import { cutsLastItem, encodeFinish, explainedRefusal, type Ending } from "../answer/finish.ts";
import type { ItemWriter, PartDelta } from "./item-writer.ts";
import { openItemWriter } from "./open-item-writer.ts";
import { openNameRestorer } from "../request/namespaces.ts";
import { itemIdOf, type ItemStatus } from "../answer/output-item.ts";
import { responseIdOf, responseObject, type ResponseFacts } from "../answer/response-object.ts";
import { writeResponsesUsage } from "../usage.ts";

/**
 * Writes a stream of response events:
 *
 *     stream    = created in_progress (item events)* (completed | incomplete | failed)
 *     item      = output_item.added ... output_item.done      items may interleave
 *     broken    = created in_progress (item events)* error failed
 *
 * The last event is the terminator, so that a caller who has seen it finds the response stored. An item is closed when
 * what follows it is known: only then is it clear whether the answer was cut within it.
 */
export function openResponsesStreamEncoder(context: AnswerContext, clock: Clock = systemClock): StreamEncoder {
  const writer = openEventWriter();
  /** The answer to a `compaction_trigger`, held until it is one item; null in all other answers. */
  const summary = endsWithTrigger(context.callerBody.input) ? openCollector() : null;
  const restoreName = openNameRestorer(context.callerBody.tools);
  const items: ItemWriter[] = [];
  /** By the index of its part; null for a part the dialect has no item for. */
  const byPart = new Map<number, ItemWriter | null>();
  let held: ItemWriter | null = null;
  let lastText: ItemWriter | null = null;
  let earlyLogprobs: readonly TokenLogprob[] = [];
  let hasRefusal = false;
  let ending: Ending | null = null;
  let final: JsonObject | null = null;
  let started = false;
  let facts: Omit<ResponseFacts, "ending" | "output" | "completedAt"> = {
    id: responseIdOf(null, context),
    createdAt: context.created,
    model: context.model,
    usage: null,
    serviceTier: undefined,
    native: {},
  };

  const snapshot = (now: ResponseFacts["ending"], completedAt: number | null = null): JsonObject =>
    responseObject(
      { ...facts, ending: now, completedAt, output: items.map((item) => item.item()) },
      context.callerBody,
    );

  const start = ({ id, created, model }: Pick<ResponseStart, "id" | "created" | "model">): string => {
    started = true;
    const createdAt = created ?? context.created;
    facts = { ...facts, id: responseIdOf(id, context), createdAt, model: model ?? context.model };
    const response = snapshot({ status: "in_progress" });
    return writer.event("response.created", { response }) + writer.event("response.in_progress", { response });
  };

  const closeHeld = (status: ItemStatus): string => {
    const closing = held;
    held = null;
    return closing === null ? "" : closing.close(status);
  };

  const openItem = (part: Part): { readonly item: ItemWriter | null; readonly text: string } => {
    const place = { id: itemIdOf(part, facts.id, items.length), outputIndex: items.length };
    const item = openItemWriter(part, place, writer);
    if (item === null) return { item, text: "" };
    items.push(item);
    if (part.type === "refusal") hasRefusal = true;
    if (part.type === "text") {
      lastText = item;
      item.addLogprobs?.(earlyLogprobs);
      earlyLogprobs = [];
    }
    return { item, text: item.open() };
  };

  const encodePartEvent = (event: Extract<StreamEvent, { index: number }>): string => {
    const closed = closeHeld("completed");
    if (event.type === "part-start") {
      const { item, text } = openItem(restoreName(event.part));
      byPart.set(event.index, item);
      return closed + text;
    }
    const item = byPart.get(event.index) ?? null;
    if (event.type === "part-end") {
      held = item;
      byPart.delete(event.index);
      return closed;
    }
    return item === null ? closed : closed + item.push(event satisfies PartDelta);
  };

  const encodeFinishEvent = ({ finish }: Extract<StreamEvent, { type: "finish" }>): string => {
    let text = closeHeld(cutsLastItem(finish) ? "incomplete" : "completed");
    if (summary !== null) {
      const { item, text: opened } = openItem(compacted(summary.response().candidates[0]?.parts ?? [], facts.id));
      text += opened + (item?.close("completed") ?? "");
    }
    const explanation = explainedRefusal(finish, hasRefusal);
    if (explanation !== null) {
      const refusal = openItem({ type: "refusal", text: explanation });
      text += refusal.text + (refusal.item?.close("completed") ?? "");
    }
    ending = encodeFinish(finish, hasRefusal);
    return text;
  };

  const end = () => {
    if (ending === null) return;
    const now = Math.max(facts.createdAt, Math.floor(clock.now() / 1000));
    final = snapshot(ending, ending.status === "completed" ? now : null);
  };

  return {
    push(event) {
      if ("candidate" in event && event.candidate !== 0) return "";
      switch (event.type) {
        case "response-start":
          return start(event);
        case "usage":
          facts = { ...facts, usage: writeResponsesUsage(event.usage) };
          return "";
        case "native": {
          const native = event.native?.vendor === "openai" ? { ...facts.native, ...event.native.fields } : facts.native;
          facts = { ...facts, native, serviceTier: event.serviceTier ?? facts.serviceTier };
          return "";
        }
        case "logprobs-delta":
          if (lastText === null) earlyLogprobs = [...earlyLogprobs, ...event.logprobs];
          else lastText.addLogprobs?.(event.logprobs);
          return "";
        case "finish":
          return encodeFinishEvent(event);
        case "response-end":
          end();
          return "";
        default:
          if (summary === null) return encodePartEvent(event);
          summary.push(event);
          return "";
      }
    },
    terminator() {
      return final === null ? "" : writer.lastEvent(`response.${String(final.status)}`, { response: final });
    },
    fail(error, requestId) {
      const opening = started ? "" : start({ id: null, created: null, model: null });
      return opening + writeFailure(error, requestId);
    },
  };

  function writeFailure(error: GatewayError, requestId: string): string {
    const { code, type, message } = error;
    const failure = { code: code ?? type, message };
    const response = snapshot({ status: "failed", incomplete_details: null, error: failure });
    return writeBreak(writer, error, requestId, response);
  }
}
