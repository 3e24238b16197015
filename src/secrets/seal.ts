import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Seals texts for the storage: AES-256-GCM under a key of its own for this use, derived by HKDF. A sealed text is
 * `v1.KEY.BYTES`: the id of the key that sealed it, then nonce, ciphertext and tag in base64url. It opens only at the place
 * that it was sealed for, so that a row copied to another id is of no use.
 */
export interface Sealer {
  /**
   * @param place where the text will stand, such as `search-backend/main/api_keys`
   * @throws SealError if there is no key
   */
  seal(text: string, place: string): string;
  /** @throws SealError if no known key opens it at this place */
  open(sealed: string, place: string): string;
  /** Whether it was sealed with the key that seals now, and not with an earlier one. */
  isCurrent(sealed: string): boolean;
}

/** A text that cannot be sealed or opened. Its message is for operators and has nothing secret in it. */
export class SealError extends Error {
  override readonly name = "SealError";
}

interface SealingKey {
  /** Tells which key sealed a text, and nothing else of it. */
  readonly id: string;
  readonly key: Uint8Array;
}

const version = "v1";
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** @param keys the one that seals, then those that only open what was sealed earlier: secrets of at least 32 characters */
export function createSealer(keys: readonly [string, ...string[]]): Sealer {
  const [current, ...earlier] = keys;
  const sealing = keyOf(current);
  const known = new Map([...earlier.map(keyOf), sealing].map((each) => [each.id, each.key]));
  return {
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const sealer = createCipheriv(cipher, sealing.key, nonce).setAAD(placeBytes(place));
      const bytes = Buffer.concat([nonce, sealer.update(text, "utf8"), sealer.final(), sealer.getAuthTag()]);
      return `${version}.${sealing.id}.${bytes.toString("base64url")}`;
    },
    open(sealed, place) {
      const [format, id = "", encoded = ""] = sealed.split(".");
      if (format !== version) throw new SealError(`was sealed in a form that this program does not know`);
      const key = known.get(id);
      if (!key) throw new SealError(`was sealed with another key: ${whatToSet}`);
      const bytes = Buffer.from(encoded, "base64url");
      const end = bytes.length - tagBytes;
      if (end < nonceBytes) throw damaged();
      const opener = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      opener.setAAD(placeBytes(place)).setAuthTag(bytes.subarray(end));
      try {
        return opener.update(bytes.subarray(nonceBytes, end), undefined, "utf8") + opener.final("utf8");
      } catch {
        throw damaged();
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`${version}.${sealing.id}.`),
  };
}

/** What takes the place of a sealer if there is no key. */
export function noSealer(reason: string): Sealer {
  const fail = (): never => {
    throw new SealError(reason);
  };
  return { seal: fail, open: fail, isCurrent: () => true };
}

const whatToSet =
  "set TOLLGATE_SECRET_KEY to the key that sealed it, or TOLLGATE_SECRET_KEY_PREVIOUS if the key has changed since";

function damaged(): SealError {
  return new SealError("has been altered, or copied from elsewhere");
}

function placeBytes(place: string): Buffer {
  return Buffer.from(`tollgate ${version} ${place}`);
}

function keyOf(secret: string): SealingKey {
  const derive = (use: string, bytes: number) => Buffer.from(hkdfSync("sha256", secret, "tollgate", use, bytes));
  return { id: derive("sealing key id", 6).toString("hex"), key: derive("sealing key", 32) };
}
