import type { Provider } from "../../upstream/provider.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import { exampleCandidate, type SimulatedClock, simulatedClock } from "./candidate.example.ts";
import type { Candidate } from "./candidate.ts";
import { toPolicy } from "../names/destination.ts";
import { createPursuit, type Pursuit } from "./pursuit.ts";
import { type FaultClass, faultClasses, type RetryRules } from "../names/route.ts";

const usualRetry: RetryRules = {
  attempts: null,
  budgetMs: 60_000,
  on: ["unreachable", "rate_limit", "overloaded", "server_error", "invalid_response"],
};

export interface PursuitScene {
  /** The candidates' models. */
  readonly ids?: readonly string[];
  readonly candidates?: readonly Candidate[];
  /** The models' context lengths. */
  readonly lengths?: Readonly<Record<string, number | null>>;
  readonly provider?: Partial<Provider>;
  /** Not given: no rules at all, as for a plain model. */
  readonly retry?: Partial<RetryRules>;
  readonly fallbackOn?: readonly FaultClass[];
  /** From the beginning to the caller's deadline. */
  readonly deadlineMs?: number;
  readonly random?: () => number;
  readonly clock?: SimulatedClock;
}

export interface StartedPursuit {
  readonly pursuit: Pursuit;
  readonly candidates: readonly Candidate[];
  readonly clock: SimulatedClock;
  /**
   * Does what the pursuit says until it ends; every attempt fails with what `faultOf` gives, which may let time pass. What
   * was done: `ask <model>`, with the credential where asked for, `wait <milliseconds>`, `queue <model>`, `end`.
   */
  readonly pursue: (
    faultOf: (model: string, attempt: number) => UpstreamFault,
    options?: { readonly withCredentials?: boolean },
  ) => string[];
}

/** A pursuit in simulated time, for tests. */
export function startPursuit(scene: PursuitScene): StartedPursuit {
  const { clock = simulatedClock(), random = () => 0, fallbackOn = faultClasses, lengths = {}, provider = {} } = scene;
  const candidates =
    scene.candidates ??
    (scene.ids ?? []).map((id) => {
      return exampleCandidate(clock, id, { provider, model: { contextLength: lengths[id] ?? null } });
    });
  const policy = toPolicy(
    {
      kind: "policy",
      id: "policy",
      strategy: "priority",
      members: [],
      requires: [],
      retry: { ...usualRetry, ...scene.retry },
      fallbackOn,
      hedgeAfterMs: null,
    },
    [],
  );
  const plain = { retry: null, retryOn: new Set<FaultClass>() };
  const destination = scene.retry ? policy : { ...policy, ...plain };
  const pursuit = createPursuit({
    plan: { destination, candidates, excluded: [] },
    startedAt: clock.now(),
    deadlineAt: scene.deadlineMs === undefined ? null : clock.now() + scene.deadlineMs,
    now: () => clock.now(),
    random,
  });

  return {
    pursuit,
    candidates,
    clock,
    pursue(faultOf, { withCredentials = false } = {}) {
      const done: string[] = [];
      for (let steps = 0, attempts = 0; steps < 1_000; steps++) {
        const step = pursuit.next();
        if (step.kind === "end") return [...done, "end"];
        if (step.kind === "wait") {
          done.push(`wait ${step.until - clock.now()}`);
          clock.advance(step.until - clock.now());
          continue;
        }
        const { entry, credential } = step;
        const { model, target } = entry.candidate;
        if (step.kind === "queue") {
          done.push(`queue ${model.id}`);
          pursuit.gaveUpQueueing(entry);
          continue;
        }
        done.push(withCredentials ? `ask ${model.id} ${credential}` : `ask ${model.id}`);
        pursuit.take(entry);
        pursuit.begin(entry, credential);
        const watch = target.health.begin(credential);
        const fault = faultOf(model.id, attempts++);
        watch.failed(fault);
        watch.ended();
        pursuit.failed(entry, fault);
      }
      throw new Error(`It goes on without end: ${done.slice(-10).join(", ")}.`);
    },
  };
}
