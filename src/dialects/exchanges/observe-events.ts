import type { StreamEvent } from "../../conversation/stream.ts";
import { asObserved, type ReportedUsage } from "../../conversation/usage.ts";
import type { ConversationResponse } from "../../conversation/response.ts";
import type { Part } from "../../conversation/parts.ts";
import type { Observation } from "../exchange.ts";
import { TextSample } from "./text-sample.ts";

/** Gathers what a record needs of an answer in the neutral form, event by event. */
export class EventObserver implements Observation {
  responseId: string | null = null;
  readonly #answerId: (providerId: string | null) => string;
  readonly #text: Pick<TextSample, "add" | "text" | "length">;
  #usage: ReportedUsage | null = null;
  /** Whether something was produced since the last count. */
  #isUncounted = false;
  #candidates = 0;
  #finished = 0;
  #hasEnded = false;

  /**
   * @param answerId gives the id that the caller sees for the provider's
   * @param keepsText whether the produced text may be asked for
   */
  constructor(answerId: (providerId: string | null) => string, keepsText = true) {
    this.#answerId = answerId;
    this.#text = keepsText ? new TextSample() : noText;
  }

  see(event: StreamEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#produced(event.text);
        break;
      case "input-delta":
        this.#produced(event.input);
        break;
      case "part-start":
        this.#candidates = Math.max(this.#candidates, event.candidate + 1);
        this.#produced(textOf(event.part));
        break;
      case "usage":
        this.#isUncounted = false;
        this.#usage = event.usage;
        break;
      case "finish":
        this.#finished++;
        break;
      case "response-end":
        this.#hasEnded = true;
        break;
      case "response-start":
        this.responseId = this.#answerId(event.id);
    }
  }

  get usage(): ReportedUsage | null {
    const hasFinished = this.#finished > 0 && this.#finished >= this.#candidates && !this.#isUncounted;
    return asObserved(this.#usage, this.#hasEnded || hasFinished);
  }

  producedText(): string {
    return this.#text.text();
  }

  get producedLength(): number {
    return this.#text.length;
  }

  #produced(text: string): void {
    this.#isUncounted = true;
    this.#text.add(text);
  }
}

const noText: Pick<TextSample, "add" | "text" | "length"> = { add() {}, text: () => "", length: 0 };

/** The parts of a whole answer that the record needs. */
export function observeResponse(
  response: ConversationResponse,
  answerId: (providerId: string | null) => string,
): Observation {
  return {
    responseId: answerId(response.id),
    usage: response.usage,
    producedText: () => response.candidates.flatMap(({ parts }) => parts.map(textOf)).join(""),
  };
}

function textOf(part: Part): string {
  if (part.type === "text" || part.type === "reasoning" || part.type === "refusal") return part.text;
  return part.type === "tool-call" ? part.name + part.input : "";
}
