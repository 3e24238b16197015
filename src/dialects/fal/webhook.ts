import { createHash, createPublicKey, verify } from "node:crypto";
import { isObject } from "../../json/values.ts";
import type { ProviderWebhook } from "../../operations/videos/video.ts";
import { isJobId } from "./queue.ts";

/** How old a webhook may be, or how far ahead its clock, in milliseconds. */
const toleranceMs = 300_000;

/**
 * The id of the job that a webhook of fal's tells of. fal signs with Ed25519: the request's id, the user's, the time and the
 * SHA-256 of the body, each in a line.
 * @param secret the public keys: `x` of each key in fal's JWKS, separated by spaces or commas
 */
export function readFalWebhook(webhook: ProviderWebhook, secret: string): string | null {
  const { body, now } = webhook;
  const [id, user, timestamp] = ["request-id", "user-id", "timestamp"].map((name) =>
    webhook.header(`x-fal-webhook-${name}`),
  );
  const signature = webhook.header("x-fal-webhook-signature");
  if (!id || !user || !timestamp || !signature || !/^[\da-f]{128}$/i.test(signature)) return null;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) * 1_000 - now) > toleranceMs) return null;
  const digest = createHash("sha256").update(body).digest("hex");
  const signed = Buffer.from(`${id}\n${user}\n${timestamp}\n${digest}`);
  const isGood = secret.split(/[\s,]+/).some((key) => isSignedBy(key, signed, Buffer.from(signature, "hex")));
  return isGood ? jobOf(body) : null;
}

function isSignedBy(x: string, signed: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, signed, key, signature);
  } catch {
    // What is no key has signed nothing.
    return false;
  }
}

function jobOf(body: Uint8Array): string | null {
  try {
    const told: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(told) && isJobId(told.request_id) ? told.request_id : null;
  } catch {
    return null;
  }
}
