import type { Support } from "../../conversation/fields/support.ts";
import type { ReportedUsage } from "../../conversation/usage.ts";
import type { ProviderError, SubmittedJob, UpstreamRequest } from "../../dialects/exchange.ts";
import type { JsonObject } from "../../json/values.ts";
import type { UploadedFile } from "../uploaded-files.ts";

declare module "../provider-halves.ts" {
  interface ProviderHalves {
    readonly videos?: VideoProvider;
  }
}

/** The picture that a film begins with. */
export type InputImage =
  /** Its content type is that of its bytes. It can be read until the job is submitted. */
  | ({ readonly kind: "file" } & UploadedFile)
  /** An `https:` or `data:` URL. */
  | { readonly kind: "url"; readonly url: string };

/** A request for a film that has been read and checked. */
export interface VideoRequest {
  readonly model: string;
  readonly stream: false;
  /** Of the job that it begins, as the caller knows it: `video_...`. The same for every attempt at every provider. */
  readonly jobId: string;
  readonly prompt: string;
  /** Undefined: as long as films of the provider's model usually are. */
  readonly seconds: number | undefined;
  /** `1280x720`, or another word that a model may know; undefined: the provider's own choice. */
  readonly size: string | undefined;
  readonly image: InputImage | null;
  /** The film that it changes; null if it makes a new one. */
  readonly remixOf: RemixSource | null;
  /** Fields that are none of OpenAI's, as the caller sent them: texts, if it sent a form. */
  readonly otherFields: JsonObject;
}

/** A finished film of the same account, which is changed where it was made. */
export interface RemixSource {
  /** As the caller knows it. */
  readonly jobId: string;
  /** The provider that made it. */
  readonly provider: string;
  readonly job: ProviderJob;
}

/** What a provider dialect does with each field of a request for a film. */
export interface VideoCapabilities {
  readonly seconds: Support;
  readonly size: Support;
  readonly imageFile: Support;
  readonly imageUrl: Support;
  readonly remix: Support;
  readonly otherFields: Support;
}

/** A job at a provider. It is stored, and all that is known of it later. */
export type ProviderJob = SubmittedJob;

/** A request to a provider, and how its whole JSON answer is read. A good status is 2xx. */
export interface VideoCall<Result> {
  readonly request: UpstreamRequest;
  /** A larger answer is refused; absent: 4 MiB. */
  readonly maxAnswerBytes?: number;
  /**
   * Reads the answer, or says what has to be asked next, up to three times.
   * @param body null if the answer has none. Throws an `AnswerFault` if it does not follow the dialect.
   */
  read(body: unknown): Result | VideoCall<Result>;
  /** Reads the body of an error answer; null if it is not in the dialect's form. */
  readonly readError: (body: unknown, status: number) => ProviderError | null;
  /** What an error status says of the job, if it says something: that it is unknown. Null or absent: it is a fault. */
  ofError?(body: unknown, status: number): Result | null;
}

/** Where the bytes of a finished film are. */
export type FilmSource =
  /** At the provider's own address, with its credential. Redirects are followed without it. */
  | { readonly kind: "request"; readonly request: UpstreamRequest }
  /** Anywhere, without a credential. Private addresses are refused, except at the provider's own origin. */
  | { readonly kind: "url"; readonly url: string }
  /** Within the answer. */
  | { readonly kind: "base64"; readonly data: string };

/** What a provider says of a job. */
export type VideoState =
  | {
      readonly status: "queued" | "in_progress";
      /** 0 to 100; null if the provider does not say. */
      readonly progress: number | null;
      /** When to ask again, if the provider says so. */
      readonly retryAfterSeconds?: number | null;
    }
  | {
      readonly status: "completed";
      readonly film: FilmSource;
      /** Seconds that were made; null if the provider does not say: then they are measured. */
      readonly seconds: number | null;
      /** `1280x720`; null if the provider does not say. */
      readonly size: string | null;
      /** What else the provider reports: its raw fields, and its cost. Null if nothing. */
      readonly usage: ReportedUsage | null;
    }
  | {
      readonly status: "failed";
      /** `moderation_blocked`, or the provider's own word; null if it says nothing. */
      readonly code: string | null;
      /** The provider's own words, which may quote the caller. */
      readonly message: string | null;
    }
  /** The provider does not know the job, or no longer. */
  | { readonly status: "unknown" };

/** A job in a provider's list. */
export interface ListedVideo {
  readonly job: ProviderJob;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Null if the list does not say. */
  readonly prompt: string | null;
}

/** How a job is begun. */
export interface VideoSubmit {
  readonly request: UpstreamRequest;
  /** The paths of the caller's fields that the provider will not see. */
  readonly warnings: readonly string[];
  /** Reads the answer. Throws an `AnswerFault` if it does not follow the dialect. */
  readSubmitted(body: unknown): ProviderJob;
  readonly readError: (body: unknown, status: number) => ProviderError | null;
}

/** A picture of a finished film. */
export const filmPictures = ["thumbnail", "spritesheet"] as const;
export type FilmPicture = (typeof filmPictures)[number];

/** A webhook of a provider, as it came. Header names are in lower case. */
export interface ProviderWebhook {
  header(name: string): string | null;
  readonly body: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How providers of a dialect are asked to make films. */
export interface VideoProvider {
  readonly capabilities: VideoCapabilities;
  /**
   * How a request is put to a provider. Throws a 400 that names the field if it cannot be.
   * `request.jobId` may serve as the key of an idempotent submit, if the provider has one.
   * @param model the provider's own name
   * @param webhookUrl where the provider is to tell of the end of the job, if it can; null: nowhere
   */
  submit(request: VideoRequest, model: string, webhookUrl: string | null): VideoSubmit | Promise<VideoSubmit>;
  /** Asks how a job is. */
  poll(job: ProviderJob): VideoCall<VideoState>;
  /** Asks to cancel a job that is not needed any more; what is answered does not matter. Null: the provider cannot. */
  readonly cancel: ((job: ProviderJob) => UpstreamRequest) | null;
  /** Asks for a picture of a finished film. Absent: the provider makes none. */
  readonly picture?: (job: ProviderJob, picture: FilmPicture) => UpstreamRequest;
  /**
   * Lists the newest jobs of the credential, at least the last hundred. After a submit whose outcome is not known, the job
   * is looked for there. Null: the provider has no list, and such a job has failed.
   * @param model the provider's own name of the model that was asked
   */
  readonly list: ((model: string) => VideoCall<readonly ListedVideo[]>) | null;
  /**
   * Reads a webhook that tells of a job: its id at the provider. Null if its signature is wrong, or it tells of none.
   * @param secret as the configuration of the provider has it
   */
  readonly readWebhook?: (webhook: ProviderWebhook, secret: string) => string | null | Promise<string | null>;
}
