import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { type JobWebhook, stateOf } from "../jobs/job.ts";
import { webhookUrl } from "../jobs/webhook-url.ts";

/** The head of an Ed25519 key in PKCS #8, before its 32 bytes. */
const head = Buffer.from("302e020100300506032b657004220420", "hex");
const key = createPrivateKey({ key: Buffer.concat([head, Buffer.alloc(32, 7)]), format: "der", type: "pkcs8" });

/** The `x` of the sandbox's key, as a JWKS has it. */
export const falPublicKey = createPublicKey(key).export({ format: "jwk" }).x ?? "";

/** How fal tells of a job; null if it is not asked to. @param url the query's `fal_webhook` */
export function falWebhook(url: string | null): JobWebhook | null {
  const address = webhookUrl(url);
  if (address === null) return null;
  return {
    url: address,
    body(job) {
      const status = stateOf(job) === "succeeded" ? "OK" : "ERROR";
      return JSON.stringify({ request_id: job.id, gateway_request_id: job.id, status, payload: {} });
    },
    sign({ id }, body, at) {
      const facts = { "request-id": id, "user-id": "sandbox", timestamp: String(at) };
      const digest = createHash("sha256").update(body).digest("hex");
      const signed = Buffer.from(`${id}\n${facts["user-id"]}\n${at}\n${digest}`);
      const all = { ...facts, signature: sign(null, signed, key).toString("hex") };
      return Object.fromEntries(Object.entries(all).map(([name, value]) => [`x-fal-webhook-${name}`, value]));
    },
  };
}
