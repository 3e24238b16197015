import type { Services } from "../services.ts";

/** Speaks while the provider is silent, so that nothing between the gateway and the caller closes the connection. */
export interface KeepAlive {
  /** The provider is awaited. */
  waiting(): void;
  /** Something came, or nobody waits. */
  resting(): void;
  stop(): void;
}

/** Calls `speak` after every `services.keepAliveMs` of waiting. Only ever between two events. */
export function startKeepAlive({ clock, deadlines, keepAliveMs }: Services, speak: () => void): KeepAlive {
  const next = () => clock.now() + keepAliveMs;
  const expired = () => {
    speak();
    deadline = deadlines.watch(next(), expired);
  };
  let deadline = deadlines.watch(Infinity, expired);
  return {
    waiting() {
      deadline.at = next();
    },
    resting() {
      deadline.at = Infinity;
    },
    stop() {
      deadlines.unwatch(deadline);
    },
  };
}
