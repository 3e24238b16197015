import { createFaultCounter, type FaultCounter } from "./script/fault-counter.ts";
import { createMemory, type Memory } from "./memory.ts";
import { createPromptCache, type PromptCache } from "./prompt-cache.ts";
import { createRequestLog, type LogLimits, type RequestLog } from "./request-log.ts";
import type { Script } from "./script/script.ts";

/** The state of a running sandbox, all of it bounded. */
export interface SandboxState {
  readonly log: RequestLog;
  readonly faults: FaultCounter;
  readonly cache: PromptCache;
  readonly memory: Memory;
  /** Scripts by model, in addition to the built-in names. */
  readonly models: Map<string, Script>;
  /** Null: all requests are accepted, with any key or none. */
  readonly apiKeys: ReadonlySet<string> | null;
  /** Whether the control API is served. */
  readonly control: boolean;
  /** Makes the ids of different runs distinct. */
  readonly instance: string;
  /** The number of new connections to close at once. */
  connectionsToRefuse: number;
  sequence: number;
}

export function createState(options: {
  readonly log: LogLimits;
  readonly models: readonly (readonly [string, Script])[];
  readonly apiKeys: readonly string[] | null;
  readonly control: boolean;
}): SandboxState {
  return {
    log: createRequestLog(options.log),
    faults: createFaultCounter(),
    cache: createPromptCache(),
    memory: createMemory(),
    models: new Map(options.models),
    apiKeys: options.apiKeys === null ? null : new Set(options.apiKeys),
    control: options.control,
    instance: crypto.randomUUID().slice(0, 8),
    connectionsToRefuse: 0,
    sequence: 0,
  };
}

/** Clears requests, counts and caches. Registered models stay. */
export function resetState(state: SandboxState): void {
  state.log.reset();
  state.faults.reset();
  state.cache.reset();
  state.memory.reset();
  state.connectionsToRefuse = 0;
  state.sequence = 0;
}
