/** The memory of bodies that are being captured, or wait to be written. */
export interface BodyMemory {
  /** False if there is no room. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
}

/** @param maxBytes of all bodies together */
export function createBodyMemory(maxBytes: number): BodyMemory {
  let held = 0;
  return {
    hold(bytes) {
      if (held + bytes > maxBytes) return false;
      held += bytes;
      return true;
    },
    release(bytes) {
      held -= bytes;
    },
  };
}
