import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "../../json/values.ts";
import type { ProviderWebhook } from "../../operations/videos/video.ts";
import { isPredictionId } from "./predictions.ts";

/** How old a webhook may be, or how far ahead its clock, in milliseconds. */
const toleranceMs = 300_000;

/**
 * The id of the prediction that a webhook of Replicate's tells of. It is signed as Standard Webhooks are.
 * @param secret `whsec_` and base64
 */
export function readReplicateWebhook(webhook: ProviderWebhook, secret: string): string | null {
  const { body, now } = webhook;
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => webhook.header(`webhook-${name}`));
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return null;
  if (Math.abs(Number(timestamp) * 1_000 - now) > toleranceMs) return null;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const isGood = signatures.split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",", 2);
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGood ? predictionOf(body) : null;
}

function predictionOf(body: Uint8Array): string | null {
  try {
    const told: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(told) && isPredictionId(told.id) ? told.id : null;
  } catch {
    return null;
  }
}
