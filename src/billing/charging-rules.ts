/** What the caller of a request pays: its usage at the prices in force, nothing, or what its job comes to later. */
export type Pays = "usage" | "nothing" | "free" | "later";

export interface ChargingRule {
  readonly title: string;
  /** What happened, and what that means for the charge. */
  readonly text: string;
  readonly pays: Pays;
}

/** What each way in which a request can go is charged. Settling goes by it, and docs/pricing.md is made from it. */
export const chargingRules = {
  success: {
    title: "Success",
    text: "The answer came to its end. Each dimension of its usage is a line.",
    pays: "usage",
  },
  abort_before_first_byte: {
    title: "The caller leaves before the first byte",
    text: "Nothing was produced for the caller. What the provider charges the operator all the same is in the record as provider cost.",
    pays: "nothing",
  },
  abort_after_first_byte: {
    title: "The caller leaves after the first byte, or its deadline passes",
    text: "What was read and what was produced up to then is paid: the provider's count if it came (`on_caller_abort: drain` waits for it), else the gateway's own, marked `local_estimate`. Characters to be spoken are paid whole, as providers charge the text.",
    pays: "usage",
  },
  failure_before_first_byte: {
    title: "The provider fails before the first byte",
    text: "And no other target could answer. The caller gets an error.",
    pays: "nothing",
  },
  failure_after_first_byte: {
    title: "The provider fails after the first byte",
    text: "The stream ends with an error event. The usage stays in the record, with the status `refunded` and no lines.",
    pays: "nothing",
  },
  failed_finish: {
    title: "A failed finish inside a 200",
    text: "The provider says within its answer that it has failed (`response.failed`, a malformed call, an error event). That is a failure like any other.",
    pays: "nothing",
  },
  no_usage: {
    title: "The provider reports no usage",
    text: "Each side that is not reported is counted by the gateway's tokenizer, and the record's `measurement` says `local_estimate`.",
    pays: "usage",
  },
  repeated_usage: {
    title: "Usage that is reported twice, or that adds up",
    text: "Reports of one answer are cumulative: the last stands, and none is added to another. A later report that is empty or all 0 takes nothing back.",
    pays: "usage",
  },
  impossible_usage: {
    title: "Usage that cannot be",
    text: "A count that is negative, fractional, a text, not a number or above 10^9 is not a count: it is as if it were not reported. Audio and image tokens beyond the tokens of their side, and a provider's cost that is no number from 0 to 10,000 USD, do not count either.",
    pays: "usage",
  },
  suspect_usage: {
    title: "Usage that contradicts what was asked",
    text: "More output than the limit that was sent allows (without one: than the model's context length), or more input than the model's context length, is lowered to that, or to what was held for it, and the record's billing says `suspect: true`. What the provider reported stays in `provider_usage`.",
    pays: "usage",
  },
  content_filter: {
    title: "Refusals and content filters",
    text: "A model that declines, and an answer that a filter ended, are answers: the provider charges for them, and so does the gateway.",
    pays: "usage",
  },
  tool_calls: {
    title: "Answers of tool calls alone",
    text: "The tokens of the calls are output like any other.",
    pays: "usage",
  },
  fallback: {
    title: "A fallback that answered",
    text: "The answer is paid, at the price of the model and target that gave it. Attempts that failed are not.",
    pays: "usage",
  },
  lost_hedge: {
    title: "A hedge that lost",
    text: "The answer that came first is paid, the other is not. What it may have cost the operator is in the record.",
    pays: "usage",
  },
  replay: {
    title: "A repetition under an Idempotency-Key",
    text: "The first answer is given again. There is no provider call, no record and no charge of its own.",
    pays: "nothing",
  },
  free_operation: {
    title: "Counting tokens",
    text: "`count_tokens` is free, whatever the model's prices.",
    pays: "free",
  },
  pending_job: {
    title: "A job that goes on",
    text: "The request's record is `pending` until the job has ended, and is then charged once, by the price list under which the job began. A job that fails is free.",
    pays: "later",
  },
  refusal: {
    title: "A request that the gateway refuses",
    text: "No provider was asked.",
    pays: "nothing",
  },
} as const satisfies Readonly<Record<string, ChargingRule>>;

export type ChargingRuleName = keyof typeof chargingRules;

/** How a request ended, as far as its charge depends on it. */
export interface ChargedEnd {
  readonly status: "succeeded" | "failed" | "cancelled" | "refused" | "pending";
  /** Whether anything was produced. */
  readonly hasAnswer: boolean;
  /** Whether the answer is a job that goes on. */
  readonly isJob: boolean;
  /** Whether the operation costs nothing. */
  readonly isFree: boolean;
}

/** The rule for a request. Rules that differ only in what the usage says are one here: `success`. */
export function chargingRuleOf({ status, hasAnswer, isJob, isFree }: ChargedEnd): ChargingRuleName {
  if (status === "refused") return "refusal";
  if (status === "failed") return hasAnswer ? "failure_after_first_byte" : "failure_before_first_byte";
  if (!hasAnswer) return "abort_before_first_byte";
  if (isJob) return "pending_job";
  if (isFree) return "free_operation";
  return status === "cancelled" ? "abort_after_first_byte" : "success";
}
