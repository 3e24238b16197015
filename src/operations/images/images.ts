import type { ReportedUsage } from "../../conversation/usage.ts";
import type { Support } from "../../conversation/fields/support.ts";
import type { AnswerStream, Exchange } from "../../dialects/exchange.ts";
import type { Member } from "../../json/top-level.ts";
import type { JsonObject } from "../../json/values.ts";
import type { MultipartForm } from "../../multipart/form.ts";
import type { Target } from "../../routing/names/model.ts";

declare module "../provider-halves.ts" {
  interface ProviderHalves {
    readonly images?: ImagesProvider;
  }
}

/** Width and height in pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** The bytes of an image that a caller has sent. They can be read until the request has ended, as often as needed. */
export interface ImageContent {
  /** In bytes. */
  readonly size: number;
  readonly stream: () => AsyncIterable<Uint8Array>;
  readonly filename: string;
  /** By its first bytes: always an image. */
  readonly contentType: string;
  /** Null if the bytes do not tell. */
  readonly pixels: Pixels | null;
}

/** An image to be edited, or a mask. */
export interface InputImage {
  /** The caller's field: `image`, `images[0].image_url`. */
  readonly path: string;
  readonly source:
    | { readonly type: "content"; readonly content: ImageContent }
    /** An `https:` address. */
    | { readonly type: "url"; readonly url: string };
}

/** How the caller wrote its request, for providers of the same shape. */
export type SentImages =
  | { readonly kind: "json"; readonly text: string; readonly members: readonly Member[]; readonly hasFileIds: boolean }
  | { readonly kind: "form"; readonly form: MultipartForm };

/** A request for images that has been read and checked. What is undefined the caller does not say. */
export interface ImagesRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The beginning of the names of its events. */
  readonly kind: "image_generation" | "image_edit";
  /** Not empty. */
  readonly prompt: string;
  /** How many images: 1 to 10. */
  readonly n: number;
  /** `1024x1024` however it is written, `auto`, or another word that a model may know. */
  readonly size: string | undefined;
  /** Of `size` if it is a width and a height; else null. */
  readonly pixels: Pixels | null;
  readonly quality: string | undefined;
  readonly style: string | undefined;
  /** `transparent`, `opaque`, `auto`. */
  readonly background: string | undefined;
  readonly moderation: string | undefined;
  /** `png`, `jpeg`, `webp`. */
  readonly outputFormat: string | undefined;
  /** 0 to 100. */
  readonly outputCompression: number | undefined;
  readonly responseFormat: "url" | "b64_json" | undefined;
  /** 0 to 3. */
  readonly partialImages: number | undefined;
  readonly inputFidelity: string | undefined;
  /** The images to edit, 1 to 16; empty unless it is an edit. */
  readonly images: readonly InputImage[];
  readonly mask: InputImage | null;
  /** All fields but images, by name: those of a form as the values that JSON would have. */
  readonly fields: JsonObject;
  readonly sent: SentImages;
  /** The origin under which the caller knows the gateway, without a slash at its end: links begin with it. */
  readonly origin: string;
}

/** What a provider does with each field of a request for images, at some of its models. */
export interface ImagesCapabilities {
  /** More than one image. */
  readonly n: Support;
  /** Images of one request, if a provider makes fewer than ten. */
  readonly maxImages: number;
  readonly size: Support;
  readonly quality: Support;
  readonly style: Support;
  readonly background: Support;
  readonly transparent: Support;
  readonly moderation: Support;
  readonly formats: Readonly<Record<ImageFormat, Support>>;
  readonly outputCompression: Support;
  readonly responseFormat: Readonly<Record<"url" | "b64_json", Support>>;
  readonly stream: Support;
  readonly partialImages: Support;
  readonly inputFidelity: Support;
  /** Edits at all. */
  readonly edits: Support;
  /** An image to edit by its address. */
  readonly imageUrl: Support;
  readonly mask: Support;
  /** Images to edit in one request. */
  readonly maxInputImages: number;
  /** Fields that are none of OpenAI's. */
  readonly otherFields: Support;
}

export const imageFormats = ["png", "jpeg", "webp"] as const;

export type ImageFormat = (typeof imageFormats)[number];

/** What a provider has made: base64 as it stands in the answer, in ASCII, or an address. */
export type MadeContent =
  | { readonly type: "base64"; readonly base64: Uint8Array }
  | { readonly type: "url"; readonly url: string };

/** One image of an answer. */
export interface MadeImage {
  readonly content: MadeContent;
  readonly revisedPrompt: string | null;
  /** `1024x768`, if the provider says so; null if it is to be measured. */
  readonly size: string | null;
}

/** An answer in the neutral form. */
export interface ImagesAnswer {
  /** Seconds since 1970; null if the provider does not say. */
  readonly created: number | null;
  /** What has been delivered, which may be less than was asked for. Empty: the answer is a fault. */
  readonly images: readonly MadeImage[];
  /** Why there is no image, in the provider's own word: `IMAGE_SAFETY`. */
  readonly whyEmpty?: string | null;
  /** Of all images, in OpenAI's words; null if the provider does not say. */
  readonly quality: string | null;
  /** Null if the provider reports none. */
  readonly usage: ReportedUsage | null;
  /**
   * The answer in OpenAI's form: its members but `data`, those of each image but its content, and all of its bytes, which are passed on if nothing has
   * to change; null if something has.
   */
  readonly openai?: {
    readonly members: JsonObject;
    readonly data: readonly JsonObject[];
    readonly bytes: Uint8Array | null;
  };
}

/** How a request is put to a provider, and how its answer is read. */
export type ImagesCall = Pick<
  Exchange,
  "request" | "calls" | "steps" | "warnings" | "maxAnswerBytes" | "readError" | "readStatus"
> & {
  /** Reads a whole answer, in steps if it is long. Throws an `AnswerFault` if it is none. */
  readonly read: (body: Uint8Array) => ImagesAnswer | Promise<ImagesAnswer>;
  /**
   * Begins to read a stream of OpenAI's events. Absent: the provider is not asked for one, and the whole answer becomes events.
   * @param isHidden callers do not see which provider served them, so that no event or field of its own may reach them
   */
  readonly openStream?: (isHidden: boolean) => AnswerStream;
};

/** How providers of a dialect are asked for images. */
export interface ImagesProvider {
  /** @param model the provider's own name */
  readonly capabilities: (model: string) => ImagesCapabilities;
  /** The columns of the documentation: kinds of models that differ. */
  readonly columns: readonly { readonly title: string; readonly capabilities: ImagesCapabilities }[];
  /**
   * Puts a request to a target. Images that the provider cannot fetch for itself (`imageUrl` is `fetched`) have been fetched: they are
   * contents. Throws a 400 that names the field.
   */
  readonly exchange: (request: ImagesRequest, target: Target) => ImagesCall;
}
