import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { callers, chatCaller, type Caller } from "../dialects/callers.testkit.ts";
import {
  dialects,
  embeddingModelOf,
  modelOf,
  startDialectGateway,
  upstreamModels,
} from "../dialects/gateway.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** A provider's error about its own account pauses it for all keys, and cannot be forged by a caller's own text. */

type DialectConfig = (typeof dialects)[number];

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  // A single fault of the provider's own pauses it.
  const circuit = { failures: 1, openMs: 30_000, failureRate: 2, minCalls: 1 };
  gateway = await startDialectGateway({ clock, circuit });
});
afterEach(() => {
  // Pauses end before the next test.
  clock.advance(1_000_000);
  gateway.sandbox.reset();
});
afterAll(() => gateway.stop());

interface Said {
  readonly message: string;
  readonly type?: string;
  readonly code?: string | null;
}

/** The provider's error page in its own dialect. */
function errorPage(dialect: DialectConfig, status: number, { message, type, code = null }: Said): string {
  switch (dialect) {
    case "anthropic-messages":
      return JSON.stringify({ type: "error", error: { type: type ?? "invalid_request_error", message } });
    case "gemini":
      return JSON.stringify({ error: { code: status, message, status: type ?? "INVALID_ARGUMENT" } });
    default:
      return JSON.stringify({ error: { message, type: type ?? "invalid_request_error", code, param: null } });
  }
}

function answerWith(dialect: DialectConfig, status: number, said: Said): void {
  const fault = { kind: "status" as const, status, body: errorPage(dialect, status, said) };
  gateway.sandbox.setModel(upstreamModels[dialect], { fault });
}

async function ask(dialect: DialectConfig, caller: Caller = chatCaller, more = {}): Promise<number> {
  const { key } = await gateway.newKey();
  const response = await gateway.fetch(caller.path(modelOf(dialect), false), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(caller.body(modelOf(dialect), "Hello", { more })),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Whether another key's request is answered after this one. */
async function isStillAsked(dialect: DialectConfig): Promise<boolean> {
  gateway.sandbox.setModel(upstreamModels[dialect], {});
  return (await ask(dialect)) === 200;
}

const anthropicsWords =
  "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.";

describe("an account without credit", () => {
  const signs: readonly (readonly [DialectConfig, number, Said])[] = [
    ["anthropic-messages", 400, { message: anthropicsWords }],
    ["anthropic-messages", 402, { message: "Payment required.", type: "billing_error" }],
    ...(["openai-chat", "openai-responses"] as const).flatMap((dialect) =>
      ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"].flatMap((code) =>
        [400, 403, 429].map((status) => [dialect, status, { message: "No.", code }] as const),
      ),
    ),
    ["openai-chat", 429, { message: "You exceeded your current quota.", type: "insufficient_quota" }],
  ];
  test.each(signs)("%s %d: %p", async (dialect, status, said) => {
    for (const caller of callers) {
      answerWith(dialect, status, said);
      expect({ caller: caller.name, status: await ask(dialect, caller) }).toEqual({ caller: caller.name, status: 502 });
      expect(await isStillAsked(dialect)).toBe(false);
      clock.advance(1_000_000);
    }
  });
});

describe("a caller's own words take nothing from others", () => {
  const quoted = [
    "credit balance",
    anthropicsWords,
    "insufficient_quota",
    "billing_error",
    "API_KEY_INVALID",
    "UNAUTHENTICATED",
    "invalid_api_key",
  ];
  test.each(dialects.map((dialect) => [dialect]))("at %s", async (dialect) => {
    for (const words of quoted) {
      for (const message of [`Invalid value for reasoning_effort: '${words}'.`, `'${words}' is no effort.`]) {
        answerWith(dialect, 400, { message });
        // The gateway checks this field itself unless it passes through, so an unknown one carries the words.
        expect(await ask(dialect, chatCaller, { metadata: { effort: words } })).toBeWithin(400, 401);
        expect({ message, isStillAsked: await isStillAsked(dialect) }).toEqual({ message, isStillAsked: true });
      }
    }
  });

  test("nor do Anthropic's words at another vendor", async () => {
    for (const dialect of dialects.filter((name) => name !== "anthropic-messages")) {
      answerWith(dialect, 400, { message: anthropicsWords });
      expect(await ask(dialect)).toBe(400);
      expect(await isStillAsked(dialect)).toBe(true);
    }
  });

  test("nor do they with another type of error", async () => {
    answerWith("anthropic-messages", 413, { message: anthropicsWords, type: "request_too_large" });
    expect(await ask("anthropic-messages")).toBe(413);
    expect(await isStillAsked("anthropic-messages")).toBe(true);
  });
});

test("a bad key that Google tells with 400 is the provider's fault, for embeddings too", async () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details };
  gateway.sandbox.setModel(upstreamModels.gemini, {
    fault: { kind: "status", status: 400, body: JSON.stringify({ error }) },
  });
  const response = await gateway.fetch("/v1/embeddings", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: embeddingModelOf("gemini"), input: "Hello" }),
  });
  expect(response.status).toBe(502);
});
