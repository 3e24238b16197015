import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { checkCacheControl, checkSystem } from "./check-blocks.ts";
import { checkMessages } from "./check-messages.ts";
import { checkBindingSchema } from "./check-schema.ts";
import { checkTools } from "./check-tools.ts";
import {
  anything,
  byType,
  type Check,
  each,
  fields,
  flag,
  integer,
  number,
  object,
  oneOf,
  optional,
  text,
} from "./check-value.ts";
import { invalidRequest } from "./errors.ts";

export const newestVersion = "2026-10-21";
const versions: readonly string[] = ["2023-01-01", "2023-06-01", newestVersion];

/** Reads the required API version of a request. Throws Anthropic's error. */
export function readVersion(headers: Readonly<Record<string, string>>): string {
  const version = headers["anthropic-version"];
  if (version === undefined) throw invalidRequest("anthropic-version", "header is required");
  if (versions.includes(version)) return version;
  throw invalidRequest("anthropic-version", `"${version.slice(0, 50)}" is not a valid version`);
}

const display = optional(oneOf("summarized", "omitted"));

const checkThinking = byType({
  enabled: fields({ type: anything, budget_tokens: integer(1_024), display }),
  adaptive: fields({ type: anything, display }),
  between_tools: fields({ type: anything, display }),
  disabled: fields({ type: anything }),
});

const checkOutputConfig = fields({
  effort: optional(oneOf("low", "medium", "high", "xhigh", "max")),
  format: optional(byType({ json_schema: fields({ type: anything, schema: bindingSchema }) })),
});

function bindingSchema(value: unknown, path: string): void {
  object(value, path);
  checkBindingSchema(value, path);
}

/** Checks how a conversation is held by the vendor. */
export const checkThread = optional(
  byType({
    create: fields({ type: anything }),
    continue: fields({ type: anything, previous_message_id: text }),
  }),
);

const stopSequence: Check = (value, path) => {
  if (text(value, path).trim() === "") {
    throw invalidRequest("stop_sequences", "each stop sequence must contain non-whitespace");
  }
};

const userId: Check = (value, path) => {
  if (text(value, path).length > 256) throw invalidRequest(path, "String should have at most 256 characters");
};

/** The parameters that count as input, and others that an answer may depend on. */
const prompt: Readonly<Record<string, Check>> = {
  model: text,
  messages: anything,
  system: optional(checkSystem),
  tools: anything,
  tool_choice: anything,
  thinking: optional(checkThinking),
  output_config: optional(checkOutputConfig),
  cache_control: checkCacheControl,
  speed: optional(oneOf("standard", "fast")),
  context_management: optional(fields({ edits: optional(each(object)) })),
  /** Specific to the sandbox. */
  sandbox: anything,
};

const settings: Readonly<Record<string, Check>> = {
  max_tokens: (value, path) => {
    if (value === undefined) throw invalidRequest(path, "Field required");
    integer(0)(value, path);
  },
  stop_sequences: optional(each(stopSequence)),
  stream: optional(flag),
  metadata: optional(fields({ user_id: optional(userId) })),
  service_tier: optional(oneOf("auto", "standard_only")),
  container: anything,
  diagnostics: optional(object),
  inference_geo: optional(text),
};

/** Parameters removed in the newest version. */
const sampling: Readonly<Record<string, Check>> = {
  temperature: optional(number(0, 1)),
  top_p: optional(number(0, 1)),
  top_k: optional(integer(0)),
};

const checkCounted = fields(prompt);
const checkNewest = fields({ ...prompt, ...settings });
const checkOlder = fields({ ...prompt, ...settings, ...sampling });

/** Checks a request for a message like Anthropic. Throws a Refusal. */
export function checkRequest(body: JsonObject, version: string): void {
  (version === newestVersion ? checkNewest : checkOlder)(body, "");
  checkConversation(body, version);
  const thinking = objectOrEmpty(body["thinking"]);
  const budget = thinking["budget_tokens"];
  if (typeof budget === "number" && typeof body["max_tokens"] === "number" && budget >= body["max_tokens"]) {
    throw new Refusal(400, "`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  if ((thinking["type"] ?? "disabled") === "disabled") return;
  if ((body["temperature"] ?? 1) !== 1) {
    throw new Refusal(400, "`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (typeof body["top_k"] === "number") throw new Refusal(400, "`top_k` must be unset when thinking is enabled.");
  if (typeof body["top_p"] === "number" && body["top_p"] < 0.95) {
    throw new Refusal(400, "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  }
}

/** The same for a request to count tokens. */
export function checkCountRequest(body: JsonObject, version: string): void {
  checkCounted(body, "");
  checkConversation(body, version);
}

function checkConversation(body: JsonObject, version: string): void {
  checkMessages(body, version);
  checkTools(body);
  const marked = countBreakpoints([body["system"], body["tools"], body["messages"]]);
  if (marked > 4) {
    throw new Refusal(400, `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.`);
  }
}

function countBreakpoints(value: unknown): number {
  const inner = Array.isArray(value) ? value : [objectOrEmpty(value)["content"] ?? []].flat();
  const own = objectOrEmpty(objectOrEmpty(value)["cache_control"])["type"] === undefined ? 0 : 1;
  return listOrEmpty(inner).reduce<number>((sum, each) => sum + countBreakpoints(each), own);
}
