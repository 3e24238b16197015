import type { Clock } from "../clock.ts";
import type { CircuitRules } from "../upstream/provider.ts";
import { createOutcomeWindow } from "./outcome-window.ts";

export type CircuitState = "closed" | "open" | "half_open";

/**
 * Keeps requests from a target that fails. Closed: all pass. Open: none does, until a moment. Half open: one request at a
 * time passes as a probe, and its outcome decides.
 */
export interface Circuit {
  readonly state: CircuitState;
  /** Milliseconds since 1970; null unless it is open. */
  readonly openUntil: number | null;
  /** It is open because the provider itself said how long to wait. */
  readonly isWaitTold: boolean;
  /** The failed share of the last minute's calls. */
  readonly failureRate: number;
  /** Whether a request may pass now. */
  admits(): boolean;
  /** A request passes. Whether it is a probe, to be said again when it ends. */
  begin(): boolean;
  /** The first byte of a good answer has come: enough to trust the target again, though not for long. */
  answered(isProbe: boolean): void;
  succeeded(): void;
  failed(isProbe: boolean): void;
  /** The provider asks for a pause until that moment. */
  pause(isProbe: boolean, until: number): void;
  /** The request has ended without saying anything about the target. */
  abandoned(isProbe: boolean): void;
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
  let isWaitTold = false;
  let probing = false;
  let failuresInRow = 0;

  const become = (next: CircuitState) => {
    const changed = state !== next;
    state = next;
    probing = false;
    if (changed) onChange(next, next === "open" ? openUntil : null);
  };
  const open = (until: number, waitTold: boolean) => {
    openUntil = until;
    isWaitTold = waitTold;
    become("open");
  };
  const failsTooOften = () =>
    outcomes.failureRate(clock.now()) >= rules.failureRate && outcomes.calls(clock.now()) >= rules.leastCalls;

  return {
    get state() {
      return state;
    },
    get openUntil() {
      return state === "open" ? openUntil : null;
    },
    get isWaitTold() {
      return state === "open" && isWaitTold;
    },
    get failureRate() {
      return outcomes.failureRate(clock.now());
    },
    admits() {
      if (state === "closed") return true;
      return state === "open" ? clock.now() >= openUntil : !probing;
    },
    begin() {
      if (state === "closed") return false;
      become("half_open");
      probing = true;
      return true;
    },
    answered(isProbe) {
      if (!isProbe || state !== "half_open") return;
      // What made it open is forgotten, but for one failure: the next one opens it again.
      outcomes.clear();
      failuresInRow = rules.failures - 1;
      become("closed");
    },
    succeeded() {
      outcomes.add(false, clock.now());
      failuresInRow = 0;
    },
    failed(isProbe) {
      outcomes.add(true, clock.now());
      failuresInRow++;
      // Those that were under way when it opened say nothing new.
      const decides = state === "closed" ? failuresInRow >= rules.failures || failsTooOften() : isProbe;
      if (decides) open(clock.now() + rules.openMs, false);
    },
    pause(isProbe, until) {
      outcomes.add(true, clock.now());
      const isLonger = state !== "open" || until > openUntil;
      if (isLonger) open(until, true);
      else if (isProbe) probing = false;
    },
    abandoned(isProbe) {
      if (isProbe && state === "half_open") probing = false;
    },
  };
}
