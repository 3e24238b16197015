import type { Clock } from "../clock.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import { UpstreamFault } from "./fault.ts";
import type { Timeouts } from "./provider.ts";
import { isReachable } from "./reachable.ts";

/** The four time limits of one call. It starts with the wait for a connection. */
export interface CallTimer {
  /** The head of the answer is here, so the connection stands; the first byte may still be awaited. */
  headArrived(): void;
  /** The answer has begun: from now on pauses are judged, not the first byte. */
  answerBegun(): void;
  /** The next piece is awaited. */
  waiting(): void;
  /** Nobody waits for the provider: a caller who is slow to take what came is not the provider's fault. */
  resting(): void;
  stop(): void;
}

export interface CallTimerOptions {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly timeouts: Timeouts;
  readonly url: string;
  /** Called at most once, with what to end the call with. */
  readonly onExpired: (fault: UpstreamFault) => void;
}

type Stage = "connect_timeout" | "first_byte_timeout" | "idle_timeout";

export function startCallTimer({ clock, deadlines, timeouts, url, onExpired }: CallTimerOptions): CallTimer {
  const startedAt = clock.now();
  const endsAt = startedAt + timeouts.totalMs;
  let stage: Stage = "connect_timeout";
  let stopped = false;

  const endWith = (kind: Stage | "total_timeout") => {
    if (stopped) return;
    stopped = true;
    deadlines.unwatch(deadline);
    onExpired(new UpstreamFault(kind, `The provider's ${kind.replaceAll("_", " ")} passed.`));
  };
  // `fetch` does not say when the connection stands, so at the connect limit a second connection answers for the first.
  const judgeConnection = () => {
    stage = "first_byte_timeout";
    deadline = watch(startedAt + timeouts.firstByteMs);
    void isReachable(url, timeouts.connectMs).then((reachable) => {
      if (!reachable && stage === "first_byte_timeout") endWith("connect_timeout");
    });
  };
  const expired = () => {
    if (clock.now() >= endsAt) endWith("total_timeout");
    else if (stage === "connect_timeout") judgeConnection();
    else endWith(stage);
  };
  const watch = (at: number): Deadline => deadlines.watch(Math.min(at, endsAt), expired);
  // Where a first byte is to come sooner than that, nobody waits for the connection alone.
  let deadline = watch(startedAt + Math.min(timeouts.connectMs, timeouts.firstByteMs));

  return {
    headArrived() {
      stage = "first_byte_timeout";
      deadline.at = Math.min(startedAt + timeouts.firstByteMs, endsAt);
    },
    answerBegun() {
      stage = "idle_timeout";
    },
    waiting() {
      if (stage === "idle_timeout") deadline.at = Math.min(clock.now() + timeouts.idleMs, endsAt);
    },
    resting() {
      if (stage === "idle_timeout") deadline.at = endsAt;
    },
    stop() {
      stopped = true;
      deadlines.unwatch(deadline);
    },
  };
}
