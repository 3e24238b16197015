import { freePort } from "../../scripts/free-port.ts";

/** Two upstreams that never answer. */
export interface Decoys {
  /** Refuses connections. */
  readonly deadPort: number;
  /** Takes connections, and never answers. */
  readonly stallingPort: number;
  stop(): void;
}

export function startDecoys(): Decoys {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return { deadPort: freePort(), stallingPort: listener.port, stop: () => listener.stop(true) };
}
