import { exampleBook } from "../../billing/prices/price-book.testkit.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import { exampleCandidate, type SimulatedClock, simulatedClock } from "./candidate.testkit.ts";
import type { Candidate } from "./candidate.ts";
import { toPolicy } from "../names/destination.ts";
import { createRetrySchedule, type RetrySchedule } from "./retry-schedule.ts";
import { type FaultClass, faultClasses, type RetryRules } from "../names/route.ts";

const usualRetry: RetryRules = {
  attempts: null,
  budgetMs: 60_000,
  on: ["unreachable", "rate_limit", "overloaded", "server_error", "invalid_response"],
};

export interface ScheduleScene {
  /** The candidates' models. */
  readonly ids?: readonly string[];
  readonly candidates?: readonly Candidate[];
  /** The models' context lengths. */
  readonly lengths?: Readonly<Record<string, number | null>>;
  readonly provider?: Partial<Provider>;
  /** If not given: no retry rules, as for a plain model. */
  readonly retry?: Partial<RetryRules>;
  readonly fallbackOn?: readonly FaultClass[];
  /** From the start to the caller's deadline. */
  readonly deadlineMs?: number;
  readonly random?: () => number;
  readonly clock?: SimulatedClock;
}

export interface StartedSchedule {
  readonly schedule: RetrySchedule;
  readonly candidates: readonly Candidate[];
  readonly clock: SimulatedClock;
  /**
   * Follows the schedule until it ends. Every attempt fails with the fault that `faultOf` returns; `faultOf` may advance the
   * clock. Returns the steps: `ask <model>` (with the credential if asked for), `wait <milliseconds>`, `queue <model>`, `end`.
   */
  readonly run: (
    faultOf: (model: string, attempt: number) => UpstreamFault,
    options?: { readonly withCredentials?: boolean },
  ) => string[];
}

/** Creates a schedule in simulated time. */
export function startSchedule(scene: ScheduleScene): StartedSchedule {
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
  const schedule = createRetrySchedule({
    plan: { destination, prices: exampleBook(), candidates, excluded: [] },
    startedAt: clock.now(),
    deadlineAt: scene.deadlineMs === undefined ? null : clock.now() + scene.deadlineMs,
    now: () => clock.now(),
    random,
  });

  return {
    schedule,
    candidates,
    clock,
    run(faultOf, { withCredentials = false } = {}) {
      const done: string[] = [];
      for (let steps = 0, attempts = 0; steps < 1_000; steps++) {
        const step = schedule.next();
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
          schedule.queueTimedOut(entry);
          continue;
        }
        done.push(withCredentials ? `ask ${model.id} ${credential}` : `ask ${model.id}`);
        schedule.prepare(entry);
        schedule.begin(entry, credential);
        const pass = target.health.begin(credential);
        const fault = faultOf(model.id, attempts++);
        target.health.failed(pass, credential, fault);
        target.health.ended();
        schedule.failed(entry, fault);
      }
      throw new Error(`The schedule does not end: ${done.slice(-10).join(", ")}.`);
    },
  };
}
