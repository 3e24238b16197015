import type { Clock } from "../clock.ts";
import { rateLimitExceeded } from "../errors.ts";
import { type AttemptLimit, createAttemptLimit } from "./attempt-limit.ts";

/** Bounds attempts to guess a password, a token or a passkey. */
export interface SignInLimits {
  /**
   * Counts an attempt before it is made, so that many at once count too.
   * @param user an email address, or an id if the attempt is made in a session; null if it names no user
   * @throws 429 with the time to wait
   */
  begin(address: string, user: string | null): void;
  /** The attempt was good, and does not count; what was counted for its user is forgotten. */
  succeeded(address: string, user: string | null): void;
  /** Counts a challenge to a stranger, for which a row is stored. @throws 429 */
  challenge(address: string): void;
  /** Counts a challenge to a user who is signed in, from whom strangers take nothing. @throws 429 */
  ownChallenge(userId: string): void;
}

const windowMs = 15 * 60_000;
const maxPerUser = 10;
const maxPerAddress = 30;
/** From an address, and for a user. */
const maxChallengesEach = 100;
const everyone = "";
/** Of all addresses together. */
const maxChallenges = 5_000;

/** @param clock a steady one */
export function createSignInLimits(clock: Clock): SignInLimits {
  const byUser = createAttemptLimit(clock, { max: maxPerUser, windowMs });
  const byAddress = createAttemptLimit(clock, { max: maxPerAddress, windowMs });
  const challengesByAddress = createAttemptLimit(clock, { max: maxChallengesEach, windowMs });
  const challengesByUser = createAttemptLimit(clock, { max: maxChallengesEach, windowMs });
  const challenges = createAttemptLimit(clock, { max: maxChallenges, windowMs });
  return {
    begin(address, user) {
      const network = networkOf(address);
      check(byAddress, network);
      if (user !== null) check(byUser, user);
      byAddress.count(network);
      if (user !== null) byUser.count(user);
    },
    succeeded(address, user) {
      byAddress.uncount(networkOf(address));
      if (user !== null) byUser.forget(user);
    },
    challenge(address) {
      const network = networkOf(address);
      check(challengesByAddress, network);
      check(challenges, everyone);
      challengesByAddress.count(network);
      challenges.count(everyone);
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

/** An address of IPv4; of IPv6 its first 64 bits, since a caller has all addresses that share them. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const last = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => "0");
  return [...groups, ...zeros, ...last].slice(0, 4).join(":");
}
