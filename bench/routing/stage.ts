import type { LoadTools } from "../load.ts";
import type { Call } from "../contenders/contender.ts";
import { chatAsking } from "../payload/openai-chat.ts";
import type { TollgateSetup } from "../contenders/tollgate.ts";

export interface RoutingPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** How often each model takes its turn in a round, while CPU is measured and while a target fails. */
  readonly costTurns: number;
  readonly failingTurns: number;
  readonly planRounds: number;
  readonly planRequests: number;
}

/** A Tollgate with policies, and how it is measured. */
export interface RoutingStage {
  readonly tools: LoadTools;
  readonly setup: TollgateSetup;
  readonly pid: number;
  readonly plan: RoutingPlan;
  /** Requests so far: each must have left a record. */
  answered: number;
}

/** A request for that name, for an answer in one piece. */
export function callOf({ port, key }: TollgateSetup, model: string): Call {
  const { path, headers, body } = chatAsking;
  return { port, path: path(model, "json"), headers: headers(key), body: body(model, "json") };
}
