import type { Observation } from "../../dialects/exchange.ts";
import type { ExchangeTools } from "../../operations/operation.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { findAnswer, type Search } from "../attempt/find-answer.ts";
import { Cancellable } from "../request-context.ts";
import type { Answered } from "../stages.ts";
import type { BegunJob } from "./begin-job.ts";

/** The job was cancelled before a provider was asked. Never shown. */
const jobGone = new Error("The job was cancelled.");

/**
 * Asks the candidates of a job one after the other until one takes it on. That goes on if the caller leaves, and no two are
 * asked at once. If it is not known whether one has taken it on, no other one is asked, and the job is looked for later.
 * @throws the caller's error if none takes it on
 */
export async function submitJob(begun: BegunJob, search: Search): Promise<Answered> {
  const { context, parsed, plan, attempts } = search;
  const noting = {
    stream: false,
    answerAlone: null,
    async exchange(candidate: Candidate, tools: ExchangeTools) {
      const exchange = await parsed.exchange(candidate, tools);
      if (exchange === null) return null;
      const { model, target } = candidate;
      const facts = { servedBy: model.id, dialect: exchange.request.dialect, upstreamModel: target.model };
      if (!(await begun.asking(facts, target.provider.id))) throw jobGone;
      return exchange;
    },
  };
  try {
    const answered = await findAnswer({
      ...search,
      context: new Cancellable(context.id, context.startedTick),
      parsed: noting,
      plan: { ...plan, destination: { ...plan.destination, hedgeAfterMs: null } },
      endsIfUncertain: true,
    });
    const { answer, attempt } = answered;
    const job = answer.kind === "whole" ? answer.answer.observation.submittedJob : undefined;
    if (job === undefined || attempt === null) throw new Error("A provider's answer to a job is no job.");
    begun.outcome = { kind: "accepted", job, attempt };
    return { ...answered, answer: answerOf(begun) };
  } catch (error) {
    const last = attempts.at(-1);
    if (error === jobGone) begun.outcome = { kind: "gone" };
    else if (last?.isUncertain === true) begun.outcome = { kind: "uncertain" };
    else throw error;
    const model = last?.candidate.model ?? null;
    return { answer: answerOf(begun), warnings: last?.exchange.warnings ?? [], model, attempt: null, target: null };
  }
}

function answerOf(begun: BegunJob): Extract<Answered["answer"], { kind: "whole" }> {
  const observation: Observation = { responseId: begun.id, usage: null, producedText: () => "", isPending: true };
  return { kind: "whole", answer: { body: begun.answer, observation } };
}
