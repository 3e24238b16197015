import type { Clock } from "../../clock.ts";
import type { Dialects } from "../../dialects/dialect.ts";
import type { ProviderJob, VideoProvider } from "../../operations/videos/video.ts";
import type { CallTools } from "../../upstream/call.ts";
import type { Channels } from "../../upstream/channel.ts";
import type { Provider, Providers } from "../../upstream/provider.ts";
import type { VideoJob } from "../../videos/video-job.ts";
import { markedCredential } from "./credential-mark.ts";
import type { ProviderWay } from "./provider-call.ts";

/** The provider of a job, and how it is asked. */
export interface JobProvider {
  readonly provider: Provider;
  readonly videos: VideoProvider;
  /** With the key that the job was begun with. */
  readonly way: ProviderWay;
  /** With each of the provider's keys. */
  readonly ways: readonly ProviderWay[];
}

/** A job as its provider knows it. */
export function providerJobOf({ providerJobId, facts }: VideoJob): ProviderJob {
  return { id: providerJobId ?? "", model: facts.upstreamModel ?? "", data: facts.providerData };
}

export interface JobProviderOptions {
  readonly providers: Providers;
  readonly dialects: Dialects;
  readonly channels: Channels;
  readonly callTools: CallTools;
  readonly clock: Clock;
}

/** Finds the provider of a job by the dialect in which the job was begun; null if the configuration has it no longer. */
export type FindJobProvider = (job: VideoJob) => JobProvider | null;

export function jobProviders(options: JobProviderOptions): FindJobProvider {
  const { providers, dialects, channels, callTools, clock } = options;
  return (job) => {
    const provider = providers.find(job.provider);
    const name = provider?.dialects.find((each) => each === job.facts.dialect);
    if (provider === null || name === undefined) return null;
    const { signing, provides } = dialects.find(name);
    if (provides.videos === undefined) return null;
    const channel = channels.of(provider);
    const wayWith = (apiKey: string | null) => ({ tools: callTools, channel, signing, apiKey, now: () => clock.now() });
    const { apiKeys } = provider;
    return {
      provider,
      videos: provides.videos,
      way: wayWith(markedCredential(apiKeys, job.facts.credential)),
      ways: apiKeys.length === 0 ? [wayWith(null)] : apiKeys.map(wayWith),
    };
  };
}
