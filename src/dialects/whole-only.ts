import { AnswerFault, type AnswerCollector, type Exchange, type Observation } from "./exchange.ts";

const decoder = new TextDecoder();

/** The JSON of a whole answer. Throws an `AnswerFault` where it is none. */
export function parseAnswer(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw new AnswerFault(body.length === 0 ? "The answer is empty." : "The answer is not valid JSON.");
  }
}

/** An exchange whose answer is never a stream: a provider that streams all the same is at fault. */
export function wholeOnly(exchange: Pick<Exchange, "request" | "warnings" | "readWhole" | "readError">): Exchange {
  const fault = (): never => {
    throw new AnswerFault("The provider streamed what is never a stream.");
  };
  const collector: AnswerCollector = {
    push: fault,
    end: fault,
    answer: fault,
    started: true,
    finished: false,
    observation: nothingObserved,
  };
  return { ...exchange, openStream: fault, wholeAsStream: fault, openCollector: () => collector };
}

const nothingObserved: Observation = { responseId: null, usage: null, producedText: () => "" };
