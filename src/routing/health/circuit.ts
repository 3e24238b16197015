import type { Clock } from "../../clock.ts";
import type { CircuitRules } from "../../upstream/provider.ts";
import { createOutcomeWindow } from "./outcome-window.ts";

export type CircuitState = "closed" | "open" | "half_open";

/**
 * Circuit breaker of one target. Closed: all requests pass. Open: none passes until `openUntil`. Half open: one request at
 * a time passes as a probe, and its outcome decides. A circuit opened by a requested wait closes when the wait is over.
 */
export interface Circuit {
  readonly state: CircuitState;
  /** Milliseconds since 1970; null unless it is open. */
  readonly openUntil: number | null;
  /** True if it is open because the provider asked for a wait. */
  readonly isWaitRequested: boolean;
  /** The failed share of the last minute's calls. */
  readonly failureRate: number;
  /** Whether a request may pass now. */
  admits(): boolean;
  /** Lets a request pass. Returns its number, which the request passes back when it ends: it may be the probe. */
  begin(): number;
  /** The first byte of a good answer arrived: closes a half-open circuit, but one more failure opens it again. */
  answered(pass: number): void;
  succeeded(): void;
  failed(pass: number): void;
  /**
   * The provider asks for a pause until this time.
   * @param isFailure the provider reports that it is overloaded, which also counts as a failure
   */
  pause(pass: number, until: number, isFailure?: boolean): void;
  /** The request ended without an outcome for the target. */
  abandoned(pass: number): void;
}

export interface CircuitOptions {
  readonly rules: CircuitRules;
  readonly clock: Clock;
  /** Called once for each change of state. */
  readonly onChange: (state: CircuitState, openUntil: number | null) => void;
}

export function createCircuit({ rules, clock, onChange }: CircuitOptions): Circuit {
  const outcomes = createOutcomeWindow();
  let state: CircuitState = "closed";
  let openUntil = 0;
  let isWaitRequested = false;
  let passes = 0;
  /** The number of the probe in flight; 0 if there is none. */
  let probe = 0;
  let failuresInRow = 0;

  const become = (next: CircuitState) => {
    const changed = state !== next;
    state = next;
    if (changed) onChange(next, next === "open" ? openUntil : null);
  };
  const open = (until: number, waitRequested: boolean) => {
    openUntil = until;
    isWaitRequested = waitRequested;
    become("open");
  };
  /** Ends the probe if this request is the probe; returns whether it was. */
  const endProbe = (pass: number): boolean => {
    if (pass !== probe) return false;
    probe = 0;
    return true;
  };
  const failsTooOften = () =>
    outcomes.failureRate(clock.now()) >= rules.failureRate && outcomes.calls(clock.now()) >= rules.minCalls;

  return {
    get state() {
      return state;
    },
    get openUntil() {
      return state === "open" ? openUntil : null;
    },
    get isWaitRequested() {
      return state === "open" && isWaitRequested;
    },
    get failureRate() {
      return outcomes.failureRate(clock.now());
    },
    admits() {
      if (state === "closed") return true;
      return probe === 0 && (state === "half_open" || clock.now() >= openUntil);
    },
    begin() {
      passes++;
      if (state === "closed") return passes;
      // A target that asked for a wait is healthy: it needs no probe afterwards.
      if (isWaitRequested) become("closed");
      else {
        become("half_open");
        probe = passes;
      }
      return passes;
    },
    answered(pass) {
      if (!endProbe(pass) || state !== "half_open") return;
      // Forget the failures that opened the circuit, except that the next one opens it again.
      outcomes.clear();
      failuresInRow = rules.failures - 1;
      become("closed");
    },
    succeeded() {
      outcomes.add(false, clock.now());
      failuresInRow = 0;
    },
    failed(pass) {
      const wasProbe = endProbe(pass);
      outcomes.add(true, clock.now());
      failuresInRow++;
      // Requests that were in flight when it opened do not extend the time.
      const decides =
        state === "closed" ? failuresInRow >= rules.failures || failsTooOften() : wasProbe && state === "half_open";
      if (decides) open(clock.now() + rules.openMs, false);
    },
    pause(pass, until, isFailure = false) {
      endProbe(pass);
      outcomes.add(true, clock.now());
      if (isFailure) failuresInRow++;
      const openPeriodEnd = clock.now() + rules.openMs;
      // A provider that keeps asking for short waits is failing nevertheless.
      if (isFailure && failuresInRow >= rules.failures && openPeriodEnd > until) open(openPeriodEnd, false);
      else if (state !== "open" || until > openUntil) open(until, true);
    },
    abandoned: (pass) => void endProbe(pass),
  };
}
