import { GatewayError } from "../../errors.ts";
import type { NoCostBound } from "./cost-bound.ts";

/** 402: what pays for the request does not cover it. */
export function insufficientBalance(message: string): GatewayError {
  return GatewayError.of("insufficient_balance", message);
}

/** 402: a request whose cost nothing bounds is covered by no amount. */
export function boundless({ model, lacks }: NoCostBound): GatewayError {
  return insufficientBalance(
    `The cost of this request has no upper bound, which a prepaid account and a hard budget need: the model '${model}' has no ${lacks}.`,
  );
}
