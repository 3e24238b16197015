import type { Spelling, VendorFieldName } from "./fields/fields.ts";
import type { CacheBreakpoint, JsonObject, Located, Part, Vendor } from "./parts.ts";

/**
 * A request independent of any vendor. An absent field was not set by the caller: no dialect fills in its defaults
 * while decoding, and none is written while encoding unless the provider demands it.
 */
export interface ConversationRequest {
  /** The name the caller asked for. The provider's own name is given when encoding. */
  readonly model: string;
  readonly stream: boolean;
  /** In order. Instructions are messages of role `system` or `developer`, in any position. */
  readonly messages: readonly Message[];
  /** In the caller's dialect a last message of the assistant's is followed by another, not continued. */
  readonly followsAssistant?: true | undefined;
  readonly tools?: readonly Tool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly reasoning?: ReasoningSettings | undefined;
  readonly verbosity?: "low" | "medium" | "high" | undefined;
  /** Tokens, reasoning included. */
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** How many answers. */
  readonly candidateCount?: number | undefined;
  readonly logprobs?: boolean | undefined;
  readonly topLogprobs?: number | undefined;
  /** `text`, `audio`, `image`. */
  readonly modalities?: readonly string[] | undefined;
  readonly userId?: string | undefined;
  readonly safetyIdentifier?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly serviceTier?: ServiceTier | undefined;
  readonly cacheKey?: string | undefined;
  /** Fields that one vendor alone has: they pass between that vendor's dialects and are reviewed everywhere else. */
  readonly vendorFields?: Readonly<Partial<Record<VendorFieldName, unknown>>> | undefined;
  /** Paths of the caller's fields that no dialect knows. They are warned of, as no translation can carry them. */
  readonly unknownFields?: readonly string[] | undefined;
  /** How the caller's dialect writes each field, so that errors and warnings name what the caller wrote. */
  readonly spelling: Spelling;
}

/**
 * `tool` messages hold tool results and nothing else; the results for one assistant message are in one message, and no result
 * has any other role. So each dialect has one way to group them.
 */
export interface Message extends Located {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
  readonly name?: string | undefined;
  /** Whether an assistant's message is commentary or the final answer, if the vendor distinguishes them. */
  readonly phase?: string | undefined;
}

export type Tool = FunctionTool | CustomTool | NativeTool;

export interface FunctionTool extends Located {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema. Absent: the tool takes no arguments. */
  readonly parameters?: JsonObject | undefined;
  readonly strict?: boolean | undefined;
  readonly cache?: CacheBreakpoint | undefined;
}

/** A tool that takes free text, or text of a grammar. */
export interface CustomTool extends Located {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string | undefined;
  readonly format?:
    | { readonly type: "text" }
    | { readonly type: "grammar"; readonly syntax: "lark" | "regex"; readonly definition: string }
    | undefined;
}

/** A tool the vendor itself runs (web search, code execution), carried whole. */
export interface NativeTool extends Located {
  readonly type: "native";
  readonly vendor: Vendor;
  readonly value: JsonObject;
}

export type ToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "tool"; readonly kind: "function" | "custom"; readonly name: string }
  /** Only these tools of the list; `required`: one of them must be called. */
  | { readonly type: "allowed"; readonly mode: "auto" | "required"; readonly names: readonly string[] }
  /** A choice of a vendor's hosted tool. */
  | { readonly type: "native"; readonly vendor: Vendor; readonly value: JsonObject };

export type ResponseFormat =
  | { readonly type: "json" }
  | {
      readonly type: "schema";
      readonly schema: JsonObject;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly strict?: boolean | undefined;
    };

/** The reasoning that the caller wants, in the caller's fields; a dialect that has only one of them converts. */
export interface ReasoningSettings {
  /** False: do not think. True: think as you see fit, or as the other two say. */
  readonly enabled?: boolean | undefined;
  readonly effort?: ReasoningEffort | undefined;
  readonly budgetTokens?: number | undefined;
  /** Whether and how the reasoning is shown. */
  readonly summary?: "none" | "auto" | "concise" | "detailed" | undefined;
  /** The caller's dialect shows reasoning by default. */
  readonly shownByDefault?: true | undefined;
}

export const reasoningEfforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** `standard`: never a priority tier (`default` at OpenAI, `standard_only` at Anthropic). */
export type ServiceTier = "auto" | "standard" | "flex" | "scale" | "priority" | "fast" | "ultrafast";
