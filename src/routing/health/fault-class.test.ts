import { describe, expect, test } from "bun:test";
import { codecs } from "../../dialects/codecs.testkit.ts";
import { type FaultKind, UpstreamFault } from "../../upstream/fault.ts";
import { statusFault } from "../choice/candidate.testkit.ts";
import { classOf } from "./fault-class.ts";

test.each([
  [400, "caller"],
  [401, "credential"],
  [402, "credential"],
  [403, "credential"],
  [404, "not_found"],
  [408, "timeout"],
  [409, "server_error"],
  [413, "caller"],
  [422, "caller"],
  [429, "rate_limit"],
  [500, "server_error"],
  [502, "server_error"],
  [503, "overloaded"],
  [504, "timeout"],
  [529, "overloaded"],
  [302, "server_error"],
])("status %d is %s", (status, kind) => {
  expect(classOf(statusFault(status))).toBe(kind as ReturnType<typeof classOf>);
});

test.each<[FaultKind, ReturnType<typeof classOf>]>([
  ["unreachable", "unreachable"],
  ["connect_timeout", "timeout"],
  ["first_byte_timeout", "timeout"],
  ["idle_timeout", "timeout"],
  ["total_timeout", "timeout"],
  ["invalid_response", "invalid_response"],
  ["reported_error", "invalid_response"],
  ["cut", "invalid_response"],
])("%s is %s", (kind, expected) => {
  expect(classOf(new UpstreamFault(kind, "x"))).toBe(expected);
});

type Dialect = keyof typeof codecs;

/** The fault for a provider's error body, decoded by its dialect. */
function faultOf(dialect: Dialect, status: number, body: unknown) {
  return new UpstreamFault("status", "x", { status, providerError: codecs[dialect].provider.decodeError(body) });
}

const openai = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, param: "messages", code },
});
const anthropic = (message: string) => ({ type: "error", error: { type: "invalid_request_error", message } });
const google = (message: string) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });

describe("a request that is too long, as reported by", () => {
  test.each<[string, Dialect, unknown]>([
    ["OpenAI", "openai-chat", openai("Please reduce the length of the messages.", "context_length_exceeded")],
    ["OpenAI's Responses", "openai-responses", openai("Your input exceeds the context window of this model.")],
    [
      "vLLM",
      "openai-chat",
      { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 },
    ],
    ["llama.cpp", "openai-chat", openai("the request exceeds the available context size, try increasing it")],
    [
      "xAI",
      "openai-chat",
      openai("This model's maximum prompt length is 131072 but the request contains 200000 tokens."),
    ],
    ["Anthropic", "anthropic-messages", anthropic("prompt is too long: 208310 tokens > 200000 maximum")],
    [
      "Anthropic, including the output limit",
      "anthropic-messages",
      anthropic("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"),
    ],
    [
      "Google",
      "gemini",
      google("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ],
    ["Bedrock", "anthropic-messages", anthropic("Input is too long for requested model.")],
  ])("%s", (_vendor, dialect, body) => {
    expect(classOf(faultOf(dialect, 400, body))).toBe("context_length");
  });

  test.each<[string, Dialect, unknown]>([
    ["a field of a wrong type", "openai-chat", openai("Invalid type for 'messages[0].content'.")],
    [
      "an answer longer than the model writes",
      "openai-chat",
      openai("max_tokens is too large: 99999.", "invalid_value"),
    ],
    ["a text field", "anthropic-messages", anthropic("metadata.user_id: String should have at most 256 characters")],
    ["a wrong argument", "gemini", google("Unable to submit request because it has an invalid temperature.")],
  ])("and not %s", (_title, dialect, body) => {
    expect(classOf(faultOf(dialect, 400, body))).toBe("caller");
  });

  test("only if the status says that the request is invalid", () => {
    expect(classOf(faultOf("openai-chat", 500, openai("context_length_exceeded")))).toBe("server_error");
  });
});
