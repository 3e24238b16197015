/**
 * Tells how much the heap of the process holds; preloaded into a gateway that is started with its garbage collector off,
 * so that what it holds more than before is what it allocated. On SIGUSR2 it writes a `HeapReport`.
 */
import { heapStats } from "bun:jsc";
import { reportOnSignal } from "./report-on-signal.ts";

/** Bytes. */
export interface HeapReport {
  /** Blocks that the engine's objects fill. */
  readonly objects: number;
  /** The memory of objects outside the heap, as the engine counts it: strings, buffers. */
  readonly outside: number;
}

reportOnSignal((): HeapReport => {
  const { heapCapacity, extraMemorySize } = heapStats();
  return { objects: heapCapacity, outside: extraMemorySize };
});
