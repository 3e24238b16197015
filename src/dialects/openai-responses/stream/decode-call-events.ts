import { stringOrNull, type JsonObject } from "../../../json/values.ts";
import { decodeCall, decodeWhole } from "../answer/decode-output.ts";
import type { PartEmitter } from "./part-emitter.ts";
import type { ItemDecoder } from "./item-decoder.ts";

/** Reads a tool call. `added` is the item as it was when it was added. */
export function openCallDecoder(added: JsonObject, emitter: PartEmitter): ItemDecoder {
  const call = decodeCall(added);
  const part = emitter.start({ ...call, input: "" });
  return {
    push(event) {
      const { type } = event;
      if (type === "response.function_call_arguments.delta" || type === "response.custom_tool_call_input.delta") {
        emitter.append(part, stringOrNull(event.delta) ?? "");
      }
    },
    finish(item) {
      const whole = decodeCall(item);
      emitter.append(part, whole.input.slice(part.sentLength));
      if (call.signature === undefined) emitter.sign(part, whole.signature);
      emitter.end(part);
    },
    close() {
      emitter.end(part);
    },
  };
}

/** Reads an item that is of use when it is whole: an image, or what one of OpenAI's own tools did. */
export function openWholeDecoder(emitter: PartEmitter): ItemDecoder {
  let finished = false;
  return {
    push() {},
    finish(item) {
      if (finished || typeof item.type !== "string") return;
      finished = true;
      emitter.end(emitter.start(decodeWhole(item)));
    },
    close() {},
  };
}
