import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** What a browser is told to ask an authenticator for. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

/** A device with one passkey. */
export interface Authenticator {
  /** Makes the passkey. @param origin where the browser says that it is */
  create(options: PasskeyOptions, origin: string): object;
  /** Signs a challenge. */
  get(
    options: PasskeyOptions,
    origin: string,
    changes?: { readonly isUnverified?: boolean; readonly isForged?: boolean },
  ): object;
}

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;

export function createAuthenticator(): Authenticator {
  const id = randomBytes(32);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  let counter = 0;
  const authenticatorData = (rpId: string, flags: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++counter);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([flags]), count]);
  };
  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const credential = (response: object) => {
    const encoded = id.toString("base64url");
    return { id: encoded, rawId: encoded, type: "public-key", clientExtensionResults: {}, response };
  };
  return {
    create({ challenge, rp }, origin) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = Buffer.concat([
        authenticatorData(rp?.id ?? "", userPresent | userVerified | hasCredential),
        Buffer.alloc(16),
        length,
        id,
        coseKey(publicKey),
      ]);
      const attestation = map([
        [text("fmt"), text("none")],
        [text("attStmt"), map([])],
        [text("authData"), bytes(data)],
      ]);
      return credential({
        clientDataJSON: clientData("webauthn.create", challenge, origin).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      });
    },
    get({ challenge, rpId = "" }, origin, { isUnverified = false, isForged = false } = {}) {
      const data = authenticatorData(rpId, isUnverified ? userPresent : userPresent | userVerified);
      const client = clientData("webauthn.get", challenge, origin);
      const signer = createSign("SHA256").update(data).update(createHash("sha256").update(client).digest());
      const key = isForged ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : privateKey;
      return credential({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signer.sign(key).toString("base64url"),
      });
    },
  };
}

/** A public key as COSE writes it: ES256 on P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return map([
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, "base64url"))],
    [integer(-3), bytes(Buffer.from(y, "base64url"))],
  ]);
}

/** CBOR, as far as it is needed. */
function head(kind: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(kind << 5) | value]);
  return value < 256
    ? Buffer.from([(kind << 5) | 24, value])
    : Buffer.from([(kind << 5) | 25, value >> 8, value & 255]);
}
function integer(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value);
}
function bytes(value: Buffer): Buffer {
  return Buffer.concat([head(2, value.length), value]);
}
function text(value: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
}
function map(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}
