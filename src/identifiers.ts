const crockford = Buffer.from("0123456789abcdefghjkmnpqrstvwxyz");
const prefix = "req_";
const timeDigits = 10;
const randomDigits = 16;

const randomPool = new Uint8Array(randomDigits * 256);
let randomAt = randomPool.length;

/** The id at hand is written here, byte by byte, and read before anything else can run. */
const idAtHand = Buffer.alloc(prefix.length + timeDigits + randomDigits, prefix);

/**
 * A new request id: `req_` and 26 lower-case Crockford base32 characters, of which the first 10 hold 48 bits of
 * milliseconds and the other 16 are random, so that ids sort by time.
 */
export function newRequestId(nowMs: number): string {
  // Asking the system for randomness once in 256 ids costs a tenth of asking every time.
  if (randomAt === randomPool.length) {
    crypto.getRandomValues(randomPool);
    randomAt = 0;
  }
  let rest = nowMs;
  for (let at = prefix.length + timeDigits - 1; at >= prefix.length; at--) {
    idAtHand[at] = crockford[rest % 32] ?? 0;
    rest = Math.floor(rest / 32);
  }
  for (let at = prefix.length + timeDigits; at < idAtHand.length; at++) {
    idAtHand[at] = crockford[(randomPool[randomAt++] ?? 0) & 31] ?? 0;
  }
  return idAtHand.toString("latin1");
}
