import { type JsonBounds, JsonTooComplex, jsonBounds, measureStructure, smallJsonBytes } from "../../json/structure.ts";
import { AnswerFault } from "../exchange.ts";

/** Refuses a provider's JSON that would block other requests while it is parsed. Throws an `AnswerFault`. */
export function checkStructure(bytes: Uint8Array, bounds: JsonBounds = jsonBounds): void {
  if (bytes.length <= smallJsonBytes) return;
  try {
    measureStructure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bounds);
  } catch (error) {
    if (!(error instanceof JsonTooComplex)) throw error;
    throw new AnswerFault(`The answer is too complex: ${error.message}.`);
  }
}
