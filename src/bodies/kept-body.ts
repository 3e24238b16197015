/** The body of a request or an answer, as it is kept: after redaction, and bounded. */
export interface KeptBody {
  readonly contentType: string | null;
  /** Of the body as it was sent. */
  readonly bytes: number;
  /** Null if only the facts about the body are kept. */
  readonly text: string | null;
  /** Why the text is not kept; null if it is, or if there was none. */
  readonly omitted: BodyOmission | null;
  /** The text goes on. */
  readonly isTruncated: boolean;
  /** How much was taken out of the text. */
  readonly redactions: number;
}

/**
 * `media`: an image, a sound or a file. `too_large`: beyond what is looked at. `unreadable`: the rules could not be applied.
 * `overloaded`: too many bodies waited to be written.
 */
export const bodyOmissions = ["media", "too_large", "unreadable", "overloaded"] as const;

export type BodyOmission = (typeof bodyOmissions)[number];

/** A body as the pipeline has it. */
export type RawBody =
  | { readonly kind: "text"; readonly contentType: string; readonly text: string }
  | {
      readonly kind: "bytes";
      readonly contentType: string;
      readonly pieces: readonly Uint8Array[];
      /** Of all that was sent, also of what is not in the pieces. */
      readonly bytes: number;
    }
  | { readonly kind: "form"; readonly parts: readonly RawPart[] }
  | { readonly kind: "omitted"; readonly contentType: string; readonly bytes: number; readonly why: BodyOmission };

/** Of a form. */
export const formType = "multipart/form-data";

/** A field or a file of a form. */
export interface RawPart {
  readonly name: string;
  /** Null for a file. */
  readonly value: string | null;
  readonly file: { readonly filename: string; readonly content_type: string; readonly bytes: number } | null;
}

/** Whether a body of this type is a text. */
export function isText(contentType: string): boolean {
  return /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|x-ndjson|x-subrip|yaml)\b)/i.test(contentType);
}

/** Whether a body of this type is a stream of events. */
export function isEventStream(contentType: string): boolean {
  return /^text\/event-stream\b/i.test(contentType);
}

/** Whether a body of this type has a JSON value on each line. */
export function isJsonLines(contentType: string): boolean {
  return /^application\/(?:x-ndjson|(?:x-)?jsonl)\b/i.test(contentType);
}

/** Whether a body of this type is JSON. */
export function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.+-]*\+)?json\b/i.test(contentType);
}
