import { AnswerFault, type AnswerCollector, type Exchange } from "../exchange.ts";

/** An exchange whose answer is never a stream: a provider that streams all the same is at fault. */
export function wholeOnly(
  exchange: Pick<
    Exchange,
    | "request"
    | "calls"
    | "steps"
    | "warnings"
    | "maxAnswerBytes"
    | "readWhole"
    | "readLarge"
    | "readError"
    | "readStatus"
    | "wholeOfError"
  >,
): Exchange {
  const fault = (): never => {
    throw refusal;
  };
  return { ...exchange, openStream: fault, wholeAsStream: fault, openCollector: () => refusingCollector };
}

const refusal = new AnswerFault(
  "The provider answered with a stream, but answers of this endpoint are never streamed.",
);

const refusingCollector: AnswerCollector = {
  push: () => null,
  end: () => null,
  fault: refusal,
  answer() {
    throw refusal;
  },
  started: true,
  finished: false,
  observation: { responseId: null, usage: null, producedText: () => "" },
};
