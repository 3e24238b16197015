import { sideOf } from "../../dimensions.ts";
import {
  type ExpectedUsage,
  maxOutput,
  maxSearchUnits,
  maxUsage,
  maxWebSearches,
} from "../../metering/expected-usage.ts";
import { boundUsage, unbounded, type UsageBounds } from "../../metering/bound-usage.ts";
import type { Usage } from "../../metering/usage.ts";
import type { Model } from "../../routing/names/model.ts";
import type { Parsed } from "../stages.ts";
import type { Funding } from "./fund-request.ts";

type Asked = Pick<Parsed, "maxOutputTokens" | "expectedUsage"> & Partial<Pick<Parsed, "measure">>;

/**
 * What a request is charged for: the usage reported, within what is possible. If something was held for it, within what the
 * hold was worked out for, so that the charge never exceeds it; else within the model's context length and the
 * output limit that was sent, as far as they are known. The same object if nothing had to be bounded.
 */
export function boundedUsage(
  usage: Usage,
  asked: Asked,
  model: Model,
  funding: Pick<Funding, "heldMicrousd" | "maxOutputTokens"> | null,
): Usage {
  if (funding !== null && funding.heldMicrousd !== null) return boundUsage(usage, boundsOfHold(asked, model, funding));
  if (!asked.measure && isWithinOneAnswer(usage, asked, model)) return usage;
  const expected = asked.expectedUsage();
  // What has seconds says itself how long it is; the request tells how long it can be.
  if (expected.isByPrice) return boundUsage(usage, boundsOfRequest(expected));
  const rounds = 1 + maxWebSearches(expected, model);
  const units = maxSearchUnits(expected, model);
  return boundUsage(usage, {
    input: model.contextLength === null ? null : model.contextLength * rounds,
    output: maxOutput(expected, model),
    others: units === null ? null : { web_search: units },
  });
}

/** What the request itself bounds; all of it if nothing does. */
function boundsOfRequest(expected: ExpectedUsage): UsageBounds {
  const max = expected.max();
  if (max === null) return unbounded;
  const { input = null, output = null, ...others } = max;
  return { input, output, others };
}

function boundsOfHold(asked: Asked, model: Model, { maxOutputTokens }: Pick<Funding, "maxOutputTokens">): UsageBounds {
  const expected = asked.expectedUsage();
  const { writes } = expected;
  const limit = Math.min(writes?.maxTokens ?? Infinity, maxOutputTokens ?? Infinity);
  const max = maxUsage({ ...expected, writes: writes && { ...writes, maxTokens: limit } }, model);
  // Nothing was held for what has no bounds.
  const { input = 0, output = 0, ...others } = max ?? {};
  return { input, output, others };
}

/** Whether the usage is possible even of a single answer: then the request need not be looked at again. */
function isWithinOneAnswer({ dimensions }: Usage, asked: Asked, model: Model): boolean {
  const { maxOutputTokens, contextLength } = model;
  let read = 0;
  let written = 0;
  for (const { name, unit, quantity } of dimensions) {
    // One unit is within any bound.
    if (unit === "search_unit" && model.searchUnits && quantity > 1) return false;
    if (unit !== "token") continue;
    if (sideOf(name) === "output") written += quantity;
    else read += quantity;
  }
  const context = contextLength ?? Infinity;
  return (
    read <= context && written <= Math.min(asked.maxOutputTokens ?? Infinity, maxOutputTokens ?? Infinity, context)
  );
}
