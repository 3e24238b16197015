import { createFaultCounter, type FaultCounter } from "./fault-counter.ts";
import { createMemory, type Memory } from "./memory.ts";
import { createPromptCache, type PromptCache } from "./prompt-cache.ts";
import { createRequestLog, type LogLimits, type RequestLog } from "./request-log.ts";
import type { Script } from "./script.ts";

/** What a running sandbox remembers, all of it bounded. */
export interface SandboxState {
  readonly log: RequestLog;
  readonly faults: FaultCounter;
  readonly cache: PromptCache;
  readonly memory: Memory;
  /** Scripts by model, in addition to the built-in names. */
  readonly models: Map<string, Script>;
  /** Null: every key is good, and none is needed. */
  readonly apiKeys: ReadonlySet<string> | null;
  /** Whether the control surface is served. */
  readonly control: boolean;
  /** Of this sandbox: keeps the ids of two runs apart. */
  readonly instance: string;
  /** How many new connections are still to be closed at once. */
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

/** Forgets requests, counts and caches. Registered models stay. */
export function resetState(state: SandboxState): void {
  state.log.reset();
  state.faults.reset();
  state.cache.reset();
  state.memory.reset();
  state.connectionsToRefuse = 0;
  state.sequence = 0;
}
