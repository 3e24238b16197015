import type { Identity } from "../access/identity.ts";
import type { Admission } from "../access/limits.ts";
import type { DialectName } from "../dialects/exchange.ts";
import type { Claim } from "../idempotency/store.ts";
import { newRequestId } from "../identifiers.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { ExpectedUsage } from "../metering/expected-usage.ts";
import type { Plan } from "../routing/choice/plan.ts";
import type { Attempt } from "./attempt/attempt.ts";
import type { Hold } from "./capacity/capacity.ts";
import type { Services } from "./services.ts";

/** What is known of one request so far, filled in stage by stage. */
export interface Journey {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly path: string;
  /** Aborted when the caller leaves. */
  readonly callerLeft: AbortSignal;
  /** Aborted when nobody waits any more, with the reason: the caller has left, or its own deadline has passed. */
  cancelled: AbortSignal;
  /** When the deadline passes that the caller itself set, in milliseconds since 1970; null where it set none. */
  deadlineAt: number | null;
  /** Lets go of that deadline. */
  forgetDeadline: (() => void) | null;
  /** Costs nothing and is not counted. */
  isFree: boolean;
  identity: Identity | null;
  /** What it takes of the gateway's capacity; null until the key is known to be good. */
  hold: Hold | null;
  admission: Admission | null;
  /** What the caller asked for; empty until the body is read. */
  askedModel: string;
  stream: boolean;
  /** The model that answered. */
  model: Model | null;
  /** A quick figure of what it may consume; null until the body is read. */
  expectedUsage: (() => ExpectedUsage) | null;
  /** Who was to be asked; null until that is known. */
  plan: Plan | null;
  /** The target of the newest attempt; of the one that answered, once one has. */
  target: Target | null;
  /** The dialect the newest attempt's provider was spoken to in. */
  providerDialect: DialectName | null;
  /** In the order in which they began. */
  readonly attempts: Attempt[];
  /** When the caller was sent the first byte. */
  firstByteAt: number | null;
  /** Of the attempt that answered. */
  upstreamMs: number | null;
  /** Its hold on an `Idempotency-Key`, null where it has none. */
  claim: Claim | null;
  settled: boolean;
  /** Called once, when it is settled. */
  readonly onSettled: () => void;
}

export function beginJourney(
  services: Services,
  path: string,
  callerLeft: AbortSignal,
  onSettled: () => void,
): Journey {
  const startedAt = services.clock.now();
  services.inFlight.add();
  return {
    id: newRequestId(startedAt),
    startedAt,
    path,
    callerLeft,
    cancelled: callerLeft,
    deadlineAt: null,
    forgetDeadline: null,
    isFree: false,
    identity: null,
    hold: null,
    admission: null,
    askedModel: "",
    stream: false,
    model: null,
    expectedUsage: null,
    plan: null,
    target: null,
    providerDialect: null,
    attempts: [],
    firstByteAt: null,
    upstreamMs: null,
    claim: null,
    settled: false,
    onSettled,
  };
}
