import type { Clock } from "../../clock.ts";
import { overloaded } from "../../errors.ts";
import { createActiveKeys, type Holding } from "./active-keys.ts";
import { createWaitingKeys } from "./waiting-keys.ts";

export interface CapacityLimits {
  /** Requests at once. */
  readonly maxInFlight: number;
  /** Bytes of request bodies held at once. */
  readonly maxBodyMemoryBytes: number;
  /** Larger bodies never come here. */
  readonly maxBodyBytes: number;
}

/**
 * What the gateway can hold at once, exactly: nothing is awaited between looking and taking. Whoever is alone may take
 * all of it. Where several keys are active, one that holds its share already leaves a tenth to those that do not, and
 * what becomes free goes first to those that were turned away with less than their share.
 */
export interface Capacity {
  readonly inFlight: number;
  readonly bodyBytes: number;
  /**
   * Takes a place for one request of the key.
   * @throws 503 `overloaded`
   */
  admit(keyId: string): Hold;
}

/** What one request holds, from its admission until it has settled. */
export interface Hold {
  /**
   * Counts so many bytes more of the request's body, before they are read or as they arrive.
   * @throws 503 `overloaded`, having counted none; an Error where the request has ended
   */
  addBodyBytes(bytes: number): void;
  /**
   * Counts what the body takes in memory once it is parsed: no more than leaves room for one body alone.
   * @throws as `addBodyBytes`
   */
  addParsedBytes(bytes: number): void;
  /** Gives all of it back. Once or more often is the same. */
  release(): void;
}

export function createCapacity(limits: CapacityLimits, clock: Clock): Capacity {
  const { maxInFlight, maxBodyMemoryBytes, maxBodyBytes } = limits;
  const keys = createActiveKeys(clock);
  const waiting = createWaitingKeys(clock);
  const reservedPlaces = Math.max(1, Math.floor(maxInFlight / 10));
  // Where it can be, large enough for any one body.
  const reservedBytes = Math.max(maxBodyMemoryBytes / 10, Math.min(maxBodyBytes, maxBodyMemoryBytes / 2));
  let inFlight = 0;
  let bodyBytes = 0;

  const hold = (keyId: string, holding: Holding): Hold => {
    let ownBytes = 0;
    let released = false;
    inFlight++;
    holding.requests++;
    const addBodyBytes = (bytes: number) => {
      if (released) throw new Error("The request has ended: nothing more of its body is taken.");
      // A body that has been let in is not held against itself as it grows.
      const holdsShare = holding.bodyBytes - ownBytes >= maxBodyMemoryBytes / keys.count;
      const kept = holdsShare && keys.count > 1 ? reservedBytes : 0;
      if (bytes > maxBodyMemoryBytes - bodyBytes - kept) throw tooMuch("bytes of request bodies");
      bodyBytes += bytes;
      holding.bodyBytes += bytes;
      ownBytes += bytes;
    };
    return {
      addBodyBytes,
      addParsedBytes: (bytes) => addBodyBytes(Math.min(bytes, maxBodyMemoryBytes - ownBytes)),
      release() {
        if (released) return;
        released = true;
        inFlight--;
        holding.requests--;
        bodyBytes -= ownBytes;
        holding.bodyBytes -= ownBytes;
        keys.rest(keyId, holding);
      },
    };
  };

  return {
    get inFlight() {
      return inFlight;
    },
    get bodyBytes() {
      return bodyBytes;
    },
    admit(keyId) {
      const holding = keys.arrive(keyId);
      const free = maxInFlight - inFlight;
      // Rounded down, so that all shares together fit.
      const holdsShare = holding.requests >= Math.max(1, Math.floor(maxInFlight / keys.count));
      const keptForOthers = keys.count > 1 ? reservedPlaces : 0;
      const kept = holdsShare ? keptForOthers : waiting.ahead(keyId, Math.min(free, reservedPlaces));
      if (free > kept) {
        waiting.remove(keyId);
        return hold(keyId, holding);
      }
      if (holdsShare) waiting.remove(keyId);
      else waiting.add(keyId);
      keys.rest(keyId, holding);
      throw tooMuch("requests");
    },
  };
}

function tooMuch(what: string) {
  return overloaded("overloaded", `The gateway holds as many ${what} as it can. Retry in 1 second.`, 1);
}
