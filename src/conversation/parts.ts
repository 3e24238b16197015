/**
 * The pieces a message is made of. The same types serve requests and answers; only a request's parts carry `path`, and
 * only what a dialect has is ever set.
 */

/** Whose model a signature, a file id or a field of its own belongs to. */
export type Vendor = "openai" | "anthropic" | "google";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The path of a node in the caller's body, for errors and warnings. */
export interface Located {
  /** `messages[2].content[0]`. Absent in answers. */
  readonly path?: string | undefined;
}

/** "Cache everything up to here." Without a lifetime: the vendor's default (5 minutes at Anthropic, 30 at OpenAI). */
export interface CacheBreakpoint {
  readonly lifetime?: "5m" | "30m" | "1h" | "12h" | undefined;
}

/** An opaque proof of reasoning that only its vendor can read, to be handed back unchanged. */
export interface Signature {
  readonly vendor: Vendor;
  readonly value: string;
}

/** The source of the bytes of an image, a document, an audio clip or a video. */
export type Source =
  | { readonly type: "data"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "url"; readonly url: string; readonly mediaType?: string | undefined }
  | {
      readonly type: "file";
      readonly vendor: Vendor;
      readonly id: string;
      readonly mediaType?: string | undefined;
    };

interface PartBase extends Located {
  readonly cache?: CacheBreakpoint | undefined;
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[] | undefined;
  readonly signature?: Signature | undefined;
  /** Of an answer's text: commentary or final answer, if the vendor distinguishes them. In a request the message has it. */
  readonly phase?: string | undefined;
}

/** The source of a passage of an answer's text. */
export interface Citation {
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  readonly citedText?: string | undefined;
  /** Range within the part's text, in UTF-16 units, end exclusive. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** The vendor's own citation object, whole, for a caller of the same dialect family. */
  readonly native?: { readonly vendor: Vendor; readonly value: JsonObject } | undefined;
}

export interface ImagePart extends PartBase {
  readonly type: "image";
  readonly source: Source;
  readonly detail?: "auto" | "low" | "high" | "original" | undefined;
  readonly signature?: Signature | undefined;
}

/** A PDF, or text that is to be treated as a document. */
export interface DocumentPart extends PartBase {
  readonly type: "document";
  readonly source: Source | { readonly type: "text"; readonly text: string };
  /** A file name or a title. */
  readonly title?: string | undefined;
  /** Information for the model about the document, beside its content. */
  readonly context?: string | undefined;
  /** Whether the answer is to cite it. */
  readonly citations?: boolean | undefined;
}

export interface AudioPart extends PartBase {
  readonly type: "audio";
  readonly source: Source;
  readonly transcript?: string | undefined;
}

export interface VideoPart extends PartBase {
  readonly type: "video";
  readonly source: Source;
}

/** The model asks for a tool. */
export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  readonly kind: "function" | "custom";
  /** As its maker wrote it; each dialect fits it to what its vendor accepts when it encodes. */
  readonly id: string;
  readonly name: string;
  /** The group the tool is in. Only in answers, for callers whose dialect has groups; `name` is then without it. */
  readonly namespace?: string | undefined;
  /** JSON text of an object for a function, free text for a custom tool. May be cut short if the answer was. */
  readonly input: string;
  readonly signature?: Signature | undefined;
}

/** The answer of a tool. Only in messages of role `tool`. */
export interface ToolResultPart extends PartBase {
  readonly type: "tool-result";
  readonly callId: string;
  /** The tool's name, if the dialect has it; otherwise it is found by the call's id. */
  readonly name?: string | undefined;
  readonly parts: readonly ToolResultContent[];
  readonly isError?: boolean | undefined;
}

export type ToolResultContent = TextPart | ImagePart | DocumentPart | AudioPart | VideoPart | NativePart;

/** The model's reasoning: text, or only the vendor's sealed form of it (`text` empty, `redacted`). */
export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text: string;
  readonly signature?: Signature | undefined;
  /** The vendor hid the text: the signature is all there is. */
  readonly redacted?: boolean | undefined;
  /** The vendor's id of the reasoning item, if it has one (OpenAI Responses). */
  readonly id?: string | undefined;
}

/** The model declines, with text. */
export interface RefusalPart extends PartBase {
  readonly type: "refusal";
  readonly text: string;
}

/** A piece only one vendor knows (hosted tool calls and results, search results, executed code), carried whole. */
export interface NativePart extends PartBase {
  readonly type: "native";
  readonly vendor: Vendor;
  readonly value: JsonObject;
}

/** A page that a search of the web has found. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  /** RFC 3339 in UTC; null if it is not known. */
  readonly publishedAt: string | null;
}

/** How a search ended: with pages, of which there may be none, or not at all. */
export type SearchOutcome =
  | { readonly pages: readonly FoundPage[] }
  | { readonly error: "invalid_query" | "unavailable" | "max_uses_exceeded" };

/** A search of the web that the gateway makes for the model. Only in answers. */
export interface WebSearchPart extends PartBase {
  readonly type: "web-search";
  /** Without a prefix; no other search of the answer has it. */
  readonly id: string;
  /** Empty if the model gave none. */
  readonly query: string;
  /** Absent while the search goes on. */
  readonly outcome?: SearchOutcome | undefined;
}

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | VideoPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | RefusalPart
  | WebSearchPart
  | NativePart;
