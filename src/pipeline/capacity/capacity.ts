import type { Clock } from "../../clock.ts";
import { overloaded } from "../../errors.ts";
import { type ActiveKeys, createActiveKeys, type Holding } from "./active-keys.ts";
import { createWaitingKeys, type WaitingKeys } from "./waiting-keys.ts";

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

/** The capacity that one request holds, from its admission until it has settled. */
export interface Hold {
  /**
   * Counts so many bytes more of the request's body, before they are read or as they arrive.
   * @throws 503 `overloaded`, having counted none; an Error if the request has ended
   */
  addBodyBytes(bytes: number): void;
  /**
   * Counts what the body takes in memory once it is parsed: no more than leaves room for one body alone.
   * @throws as `addBodyBytes`
   */
  addParsedBytes(bytes: number): void;
  /** Called once when the request ends: removes what it holds elsewhere. */
  onRelease: (() => void) | null;
  /** Gives all of it back. Once or more often is the same. */
  release(): void;
}

export function createCapacity(limits: CapacityLimits, clock: Clock): Capacity {
  return new SharedCapacity(limits, clock);
}

class SharedCapacity implements Capacity {
  readonly limits: CapacityLimits;
  readonly keys: ActiveKeys;
  readonly #waiting: WaitingKeys;
  readonly #reservedPlaces: number;
  /** If it can be, large enough for any one body. */
  readonly reservedBytes: number;
  inFlight = 0;
  bodyBytes = 0;

  constructor(limits: CapacityLimits, clock: Clock) {
    const { maxInFlight, maxBodyMemoryBytes, maxBodyBytes } = limits;
    this.limits = limits;
    this.keys = createActiveKeys(clock);
    this.#waiting = createWaitingKeys(clock);
    this.#reservedPlaces = Math.max(1, Math.floor(maxInFlight / 10));
    this.reservedBytes = Math.max(maxBodyMemoryBytes / 10, Math.min(maxBodyBytes, maxBodyMemoryBytes / 2));
  }

  admit(keyId: string): Hold {
    const { maxInFlight } = this.limits;
    const holding = this.keys.arrive(keyId);
    const free = maxInFlight - this.inFlight;
    // Rounded down, so that all shares together fit.
    const holdsShare = holding.requests >= Math.max(1, Math.floor(maxInFlight / this.keys.count));
    const keptForOthers = this.keys.count > 1 ? this.#reservedPlaces : 0;
    const kept = holdsShare ? keptForOthers : this.#waiting.ahead(keyId, Math.min(free, this.#reservedPlaces));
    if (free > kept) {
      this.#waiting.remove(keyId);
      return new RequestHold(this, keyId, holding);
    }
    if (holdsShare) this.#waiting.remove(keyId);
    else this.#waiting.add(keyId);
    this.keys.rest(keyId, holding);
    throw tooMuch("requests");
  }
}

class RequestHold implements Hold {
  readonly #capacity: SharedCapacity;
  readonly #keyId: string;
  readonly #holding: Holding;
  onRelease: (() => void) | null = null;
  #ownBytes = 0;
  #isReleased = false;

  constructor(capacity: SharedCapacity, keyId: string, holding: Holding) {
    this.#capacity = capacity;
    this.#keyId = keyId;
    this.#holding = holding;
    capacity.inFlight++;
    holding.requests++;
  }

  addBodyBytes(bytes: number): void {
    if (this.#isReleased) throw new Error("The request has ended: nothing more of its body is taken.");
    const { keys, limits, reservedBytes, bodyBytes } = this.#capacity;
    const { maxBodyMemoryBytes } = limits;
    // A body that has been let in is not held against itself as it grows.
    const holdsShare = this.#holding.bodyBytes - this.#ownBytes >= maxBodyMemoryBytes / keys.count;
    const kept = holdsShare && keys.count > 1 ? reservedBytes : 0;
    if (bytes > maxBodyMemoryBytes - bodyBytes - kept) throw tooMuch("bytes of request bodies");
    this.#count(bytes);
  }

  addParsedBytes(bytes: number): void {
    this.addBodyBytes(Math.min(bytes, this.#capacity.limits.maxBodyMemoryBytes - this.#ownBytes));
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#capacity.inFlight--;
    this.#holding.requests--;
    this.#count(-this.#ownBytes);
    this.#capacity.keys.rest(this.#keyId, this.#holding);
    this.onRelease?.();
  }

  #count(bytes: number): void {
    this.#capacity.bodyBytes += bytes;
    this.#holding.bodyBytes += bytes;
    this.#ownBytes += bytes;
  }
}

function tooMuch(what: string) {
  return overloaded("overloaded", `The gateway holds as many ${what} as it can. Retry in 1 second.`, 1);
}
