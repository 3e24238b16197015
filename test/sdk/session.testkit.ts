/** An official SDK behind a common interface, so that one scenario runs with each. */
export interface Sdk {
  readonly name: string;
  /** Steps that this SDK does not support, and why. */
  readonly gaps: Readonly<Partial<Record<string, string>>>;
  /** The name of the error that it throws for a status. */
  errorName(status: number): string;
  connect(options: ConnectOptions): SdkSession;
}

export interface ConnectOptions {
  /** The gateway's URL, without a path. */
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
}

/** Why chat callers do not see the reasoning of a Responses provider: it is encrypted. */
export const noFieldForSummaries = "chat completions have no field that asks for a summary of the reasoning";

/** One turn of the user. */
export interface Ask {
  readonly model: string;
  readonly prompt: string;
  readonly tools?: boolean;
  /** Asks for visible reasoning. */
  readonly reasoning?: boolean;
  /** A PNG in base64 beside the prompt. */
  readonly image?: string;
}

/** One answer. Token counts include cached tokens and reasoning, for all SDKs. */
export interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly input: number;
  readonly output: number;
  /** The number of chunks of the text; 1 if it was not streamed. */
  readonly pieces: number;
}

/** A tool loop: the arguments of the calls, and the text after their results. */
export interface Looped {
  readonly calls: readonly unknown[];
  readonly text: string;
}

export interface SdkSession {
  ask(ask: Ask): Promise<Said>;
  stream(ask: Ask): Promise<Said>;
  /** Answers each call with `resultOf` its index, and returns the previous turn as the SDK gave it. */
  loop(ask: Ask, stream: boolean): Promise<Looped>;
  /** A parsed answer with the schema of a person. */
  person(ask: Ask): Promise<unknown>;
  /** Counts the tokens of a request. Absent if the SDK has no such call. */
  count?(ask: Ask): Promise<number>;
  /** The embeddings of some texts. Absent if the gateway does not serve the SDK's endpoint. */
  embed?(model: string, texts: string[]): Promise<readonly (readonly number[])[]>;
  /** Begins a stream and disconnects after the first text. */
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

/** The result of the tool call at this index. */
export function resultOf(place: number): string {
  return `${20 + place} degrees`;
}

/** The error names that the SDKs of one generator share. */
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
