import type { Identity } from "../access/identity.ts";
import type { Admission } from "../access/limits.ts";
import type { DialectName } from "../dialects/exchange.ts";
import { newRequestId } from "../identifiers.ts";
import type { Model, Target } from "../routing/model.ts";
import type { Services } from "./services.ts";

/** What is known of one request so far, filled in stage by stage. */
export interface Journey {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly path: string;
  /** Aborted when the caller leaves. */
  readonly callerLeft: AbortSignal;
  /** Costs nothing and is not counted. */
  isFree: boolean;
  identity: Identity | null;
  admission: Admission | null;
  /** What the caller asked for; empty until the body is read. */
  askedModel: string;
  stream: boolean;
  model: Model | null;
  /** The target of the newest attempt. */
  target: Target | null;
  /** The dialect the newest attempt's provider was spoken to in. */
  providerDialect: DialectName | null;
  attempts: number;
  /** When the caller was sent the first byte. */
  firstByteAt: number | null;
  /** Of the attempt that answered. */
  upstreamMs: number | null;
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
    isFree: false,
    identity: null,
    admission: null,
    askedModel: "",
    stream: false,
    model: null,
    target: null,
    providerDialect: null,
    attempts: 0,
    firstByteAt: null,
    upstreamMs: null,
    settled: false,
    onSettled,
  };
}
