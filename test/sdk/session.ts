/** One official SDK behind words that all of them share, so that one script runs through each. */
export interface Sdk {
  readonly name: string;
  /** Steps that this SDK has no way to take, and why. */
  readonly gaps: Readonly<Partial<Record<string, string>>>;
  /** The name of the error that it throws for a status. */
  errorName(status: number): string;
  connect(options: ConnectOptions): SdkSession;
}

export interface ConnectOptions {
  /** The gateway's, without a path. */
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
}

/** Why callers of chat completions do not see the reasoning of a provider of responses, which they hand back sealed. */
export const noFieldForSummaries = "chat completions have no field that asks for a summary of the reasoning";

/** What is asked in one turn of the user's. */
export interface Ask {
  readonly model: string;
  readonly prompt: string;
  readonly tools?: boolean;
  /** Asks for reasoning, and to see it. */
  readonly reasoning?: boolean;
  /** A PNG in base64 beside the prompt. */
  readonly image?: string;
}

/** One answer. Token counts include what was cached, and reasoning, whatever the SDK's own way of counting. */
export interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly input: number;
  readonly output: number;
  /** In how many pieces the text came; 1 where it came whole. */
  readonly pieces: number;
}

/** A tool loop: the arguments of the calls that were made, and the text that followed their results. */
export interface Looped {
  readonly calls: readonly unknown[];
  readonly text: string;
}

export interface SdkSession {
  ask(ask: Ask): Promise<Said>;
  stream(ask: Ask): Promise<Said>;
  /** Answers each call with `resultOf` its place, and hands back the turn before as the SDK gave it. */
  loop(ask: Ask, stream: boolean): Promise<Looped>;
  /** An answer by the schema of a person, parsed. */
  person(ask: Ask): Promise<unknown>;
  /** The tokens of what is asked, without an answer. Absent where the SDK has no such call. */
  count?(ask: Ask): Promise<number>;
  /** The vectors of some texts. Absent where what the SDK has is not served by the gateway. */
  embed?(model: string, texts: string[]): Promise<readonly (readonly number[])[]>;
  /** Begins a stream, and leaves after the first text. */
  leave(ask: Ask): Promise<void>;
}

export const weather = {
  name: "get_weather",
  description: "Tells the weather.",
  schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

export const person = {
  type: "object" as const,
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
};

/** What the tool answers to the call at this place. */
export function resultOf(place: number): string {
  return `${20 + place} degrees`;
}

/** The names that the SDKs of one generator share. */
export function commonErrorName(status: number): string {
  const names: Readonly<Record<number, string>> = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
  };
  return names[status] ?? (status >= 500 ? "InternalServerError" : "APIError");
}
