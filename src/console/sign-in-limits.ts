import type { Clock } from "../clock.ts";
import { rateLimitExceeded } from "../errors.ts";
import { type AttemptLimit, createAttemptLimit } from "./attempt-limit.ts";
import { networkOf } from "./network.ts";

/** An attempt to sign in. */
export interface Attempt {
  readonly address: string;
  /** An email address; null if the attempt names no user. */
  readonly user: string | null;
  /**
   * A browser in which this user has signed in before, or the id of the user whose session it is: strangers count no attempts
   * against it, and its own count against nobody else. Null if it is unknown.
   */
  readonly device: string | null;
}

/** Bounds attempts to guess a password, a token or a passkey. */
export interface SignInLimits {
  /** Counts an attempt before it is made, so that many at once count too. @throws 429 with the time to wait */
  begin(attempt: Attempt): void;
  /** The attempt was good, and does not count; what was counted like it for its user is forgotten. */
  succeeded(attempt: Attempt): void;
  /** Counts a challenge to a stranger, for which a row is stored. @throws 429 */
  challenge(address: string): void;
  /** Counts a challenge to a user who is signed in, from whom strangers take nothing. @throws 429 */
  ownChallenge(userId: string): void;
}

const windowMs = 15 * 60_000;
const maxPerUser = 10;
const maxPerDevice = 10;
const maxPerAddress = 30;
/** From an address, and for a user. */
const maxChallengesEach = 100;

/** @param clock a steady one */
export function createSignInLimits(clock: Clock): SignInLimits {
  const byUser = createAttemptLimit(clock, { max: maxPerUser, windowMs });
  const byDevice = createAttemptLimit(clock, { max: maxPerDevice, windowMs });
  const byAddress = createAttemptLimit(clock, { max: maxPerAddress, windowMs });
  const challengesByAddress = createAttemptLimit(clock, { max: maxChallengesEach, windowMs });
  const challengesByUser = createAttemptLimit(clock, { max: maxChallengesEach, windowMs });
  return {
    begin({ address, user, device }) {
      if (device !== null) {
        check(byDevice, device);
        byDevice.count(device);
        return;
      }
      const network = networkOf(address);
      check(byAddress, network);
      if (user !== null) check(byUser, user);
      byAddress.count(network);
      if (user !== null) byUser.count(user);
    },
    succeeded({ address, user, device }) {
      if (device !== null) {
        byDevice.forget(device);
        return;
      }
      byAddress.uncount(networkOf(address));
      if (user !== null) byUser.forget(user);
    },
    challenge(address) {
      const network = networkOf(address);
      check(challengesByAddress, network);
      challengesByAddress.count(network);
    },
    ownChallenge(userId) {
      check(challengesByUser, userId);
      challengesByUser.count(userId);
    },
  };
}

function check(limit: AttemptLimit, name: string): void {
  const wait = limit.waitSeconds(name);
  if (wait === 0) return;
  throw rateLimitExceeded("too_many_sign_ins", `Too many attempts to sign in. Try again in ${wait} s.`, wait);
}
