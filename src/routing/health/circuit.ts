import type { Clock } from "../../clock.ts";
import type { CircuitRules } from "../../upstream/provider.ts";
import { createOutcomeWindow } from "./outcome-window.ts";

export type CircuitState = "closed" | "open" | "half_open";

/**
 * Keeps requests from a target that fails. Closed: all pass. Open: none does, until a moment. Half open: one request at a
 * time passes as a probe, and its outcome decides; where the provider itself said how long to wait, it closes after that.
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
  /** A request passes. Its number, to be said again when it ends: it may be a probe. */
  begin(): number;
  /** The first byte of a good answer has come: enough to trust the target again, though not for long. */
  answered(pass: number): void;
  succeeded(): void;
  failed(pass: number): void;
  /**
   * The provider asks for a pause until that moment.
   * @param isFailure it says of itself that it is overloaded, which counts as a failure too
   */
  pause(pass: number, until: number, isFailure?: boolean): void;
  /** The request has ended without saying anything about the target. */
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
  let isWaitTold = false;
  let passes = 0;
  /** The pass that is the probe under way; 0 where none is. One that ended long ago is not mistaken for it. */
  let probe = 0;
  let failuresInRow = 0;

  const become = (next: CircuitState) => {
    const changed = state !== next;
    state = next;
    if (changed) onChange(next, next === "open" ? openUntil : null);
  };
  const open = (until: number, waitTold: boolean) => {
    openUntil = until;
    isWaitTold = waitTold;
    become("open");
  };
  /** Frees the probe's place. Whether the pass had it. */
  const endProbe = (pass: number): boolean => {
    if (pass !== probe) return false;
    probe = 0;
    return true;
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
      return probe === 0 && (state === "half_open" || clock.now() >= openUntil);
    },
    begin() {
      passes++;
      if (state === "closed") return passes;
      // A target that said how long to wait was never sick: when that time is over it is asked as before.
      if (isWaitTold) become("closed");
      else {
        become("half_open");
        probe = passes;
      }
      return passes;
    },
    answered(pass) {
      if (!endProbe(pass) || state !== "half_open") return;
      // What made it open is forgotten, but for one failure: the next one opens it again.
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
      // Those that were under way when it opened say nothing new.
      const decides =
        state === "closed" ? failuresInRow >= rules.failures || failsTooOften() : wasProbe && state === "half_open";
      if (decides) open(clock.now() + rules.openMs, false);
    },
    pause(pass, until, isFailure = false) {
      endProbe(pass);
      outcomes.add(true, clock.now());
      if (isFailure) failuresInRow++;
      const restsUntil = clock.now() + rules.openMs;
      // What says "in a second" again and again is sick all the same.
      if (isFailure && failuresInRow >= rules.failures && restsUntil > until) open(restsUntil, false);
      else if (state !== "open" || until > openUntil) open(until, true);
    },
    abandoned: (pass) => void endProbe(pass),
  };
}
