import type { Dialects } from "../../dialects/dialect.ts";
import { authenticationError, notFound } from "../../errors.ts";
import type { ProviderWebhook } from "../../operations/videos/video.ts";
import type { Providers } from "../../upstream/provider.ts";
import type { VideoJobStore } from "../../videos/video-job.ts";

export interface WebhookOptions {
  readonly providers: Providers;
  readonly dialects: Dialects;
  readonly store: Pick<VideoJobStore, "wake">;
}

/**
 * Wakes the job that a webhook tells of. What the webhook says of it is not believed: its provider is asked. Rejects with a 401
 * `invalid_signature`; nothing is changed then.
 */
export type TakeWebhook = (webhook: ProviderWebhook) => Promise<void>;

/** How the webhooks of a provider are taken. Throws a 404 `unknown_path` if it sends none, or none are to be taken. */
export function webhooksOf({ providers, dialects, store }: WebhookOptions, providerId: string): TakeWebhook {
  const provider = providers.find(providerId);
  const { webhook: settings, dialects: names = [] } = provider ?? {};
  const read = names.map((name) => dialects.find(name).provides.videos?.readWebhook).find(Boolean);
  if (settings === undefined || read === undefined) {
    throw notFound("unknown_path", `No provider '${providerId.slice(0, 64)}' takes webhooks.`);
  }
  return async (webhook) => {
    const providerJobId = await read(webhook, settings.secret);
    if (providerJobId === null) {
      const message = "The webhook has no valid signature, or tells of no job.";
      throw authenticationError("invalid_signature", message);
    }
    // If none waits it is over, or its submit has not been answered yet: then it is asked for soon.
    await store.wake(providerId, providerJobId);
  };
}
