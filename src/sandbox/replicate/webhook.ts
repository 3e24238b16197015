import { createHmac } from "node:crypto";
import type { Job, JobWebhook } from "../jobs/job.ts";
import { webhookUrl } from "../jobs/webhook-url.ts";

const key = Buffer.alloc(24, 7);

/** The secret of the sandbox's webhooks. */
export const replicateWebhookSecret = `whsec_${key.toString("base64")}`;

/** How Replicate tells of a prediction; null if it is not asked to. @param view the prediction as it is shown */
export function replicateWebhook(url: unknown, view: (job: Job) => unknown): JobWebhook | null {
  const address = webhookUrl(url);
  if (address === null) return null;
  return {
    url: address,
    body: (job) => JSON.stringify(view(job)),
    sign({ id }, body, at) {
      const signature = createHmac("sha256", key).update(`msg_${id}.${at}.${body}`).digest("base64");
      const all = { id: `msg_${id}`, timestamp: String(at), signature: `v1,${signature}` };
      return Object.fromEntries(Object.entries(all).map(([name, value]) => [`webhook-${name}`, value]));
    },
  };
}
