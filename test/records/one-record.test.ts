import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createDialects, type Dialect } from "../../src/dialects/dialect.ts";
import { dialects as allDialects } from "../../src/dialects/registry.ts";
import type { ReportedUsage } from "../../src/conversation/usage.ts";
import { callers, messagesCaller } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, startDialectGateway, upstreamModels } from "../dialects/gateway.testkit.ts";
import { post, requestIdOf } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** Whatever a provider says of itself, a request has one record and one line in the log. */

const linesOf = (gateway: TestGateway, id: string) =>
  gateway.log.filter(({ fields, message }) => fields["request_id"] === id && message === "request");

describe("odd answers", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startDialectGateway();
  });
  beforeEach(() => gateway.sandbox.reset());
  afterAll(() => gateway.stop());

  const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  const usages: readonly (readonly [string, string])[] = [
    ["nothing", "null"],
    ["no object", '"many"'],
    ["a list", "[1,2]"],
    ["a depth", deep],
    ["a number of many digits", `{"prompt_tokens":${"9".repeat(400)},"output_tokens":${"9".repeat(40)}}`],
    ["names of the language", '{"__proto__":{"input_tokens":5},"constructor":1,"toString":null,"toJSON":3}'],
    ["half a character", String.raw`{"\ud800":"\udfff\u0000","input_tokens":"\u0000"}`],
    ["objects for counts", '{"input_tokens":{},"prompt_tokens":[],"promptTokenCount":{"a":1},"output_tokens":[[]]}'],
    ["much", JSON.stringify({ input_tokens: 1, notes: "x".repeat(100_000) })],
  ];
  /** A whole answer of each dialect with this usage and this id, as JSON texts. */
  const answers: Readonly<Record<(typeof dialects)[number], (usage: string, id: string) => string>> = {
    "openai-chat": (usage, id) =>
      `{"id":${id},"object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hello."}}],"usage":${usage}}`,
    "openai-responses": (usage, id) =>
      `{"id":${id},"object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello.","annotations":[]}]}],"usage":${usage}}`,
    "anthropic-messages": (usage, id) =>
      `{"id":${id},"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","stop_sequence":null,"usage":${usage}}`,
    gemini: (usage, id) =>
      `{"responseId":${id},"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[{"text":"Hello."}]}}],"usageMetadata":${usage}}`,
  };
  const ids = ['"resp_1"', "5", "null", JSON.stringify("x".repeat(5_000)), String.raw`"\u0000\ud800"`, '["a"]'];

  test.each(dialects.map((dialect) => [dialect]))("of %s", async (dialect) => {
    const cases = [...usages.map(([, usage]) => [usage, '"id_1"']), ...ids.map((id) => ["{}", id])];
    for (const [usage = "", id = ""] of cases) {
      gateway.sandbox.setModel(upstreamModels[dialect], {
        fault: { kind: "status", status: 200, body: answers[dialect](usage, id) },
      });
      for (const caller of callers) {
        for (const stream of [false, true]) {
          const response = await post(gateway, caller, modelOf(dialect), "Hello", { stream });
          await response.text().catch(() => "");
          const record = await gateway.record(requestIdOf(response));
          expect(record.id).toBe(requestIdOf(response));
          expect(linesOf(gateway, record.id)).toHaveLength(1);
        }
      }
    }
  });
});

describe("an answer that cannot be settled", () => {
  let isBroken = false;
  /** Anthropic's callers with a provider whose usage breaks code that stores it. */
  const breaking = (usage: ReportedUsage | null): ReportedUsage | null =>
    usage &&
    Object.defineProperty({ ...usage }, "raw", {
      get() {
        if (isBroken) throw new Error("a provider's surprise");
        return usage.raw;
      },
    });
  const withSurprise = (dialect: Dialect): Dialect => {
    const { conversation } = dialect.provides;
    if (dialect.name !== "openai-chat" || !conversation) return dialect;
    const { provider } = conversation;
    const decodeResponse: typeof provider.decodeResponse = (body) => {
      const response = provider.decodeResponse(body);
      return { ...response, usage: breaking(response.usage) };
    };
    return {
      ...dialect,
      provides: { ...dialect.provides, conversation: { ...conversation, provider: { ...provider, decodeResponse } } },
    };
  };
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startDialectGateway({ dialects: createDialects(allDialects.all.map(withSurprise)) });
  });
  beforeEach(() => (isBroken = true));
  afterAll(() => gateway.stop());

  const ask = (key: string, headers: Record<string, string> = {}) =>
    gateway.fetch(messagesCaller.path("", false), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
      body: JSON.stringify(messagesCaller.body(modelOf("openai-chat"), "Hello")),
    });

  test("is given to its caller, and its record is kept with less", async () => {
    const { key } = await gateway.newKey({ limits: { concurrentRequests: 1, tokensPerMinute: 100_000 } });
    for (let times = 0; times < 3; times++) {
      const response = await ask(key);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('"type":"message"');
      const id = requestIdOf(response);
      expect(await gateway.record(id, key)).toMatchObject({
        id,
        status: "succeeded",
        model: modelOf("openai-chat"),
        usage: { measurement: { input: "unavailable", output: "unavailable" }, total_tokens: 0 },
        billing: { amount_microusd: 0, line_items: [] },
        routing: {
          resolved_model: modelOf("openai-chat"),
          chose_provider: "openai-chat",
          status_code: 200,
          attempts: 1,
        },
        provider_usage: { family: "openai-chat", raw_fields: {} },
      });
      expect(linesOf(gateway, id)).toHaveLength(1);
      const errors = gateway.log.filter(({ level, fields }) => level === "error" && fields["request_id"] === id);
      expect(errors).toHaveLength(1);
      expect(JSON.stringify(errors)).toContain("a provider's surprise");
    }
  });

  test("uses up its idempotency key", async () => {
    const headers = { "idempotency-key": "once" };
    expect((await ask(gateway.key, headers)).status).toBe(200);
    isBroken = false;
    const again = await ask(gateway.key, headers);
    expect([200, 409]).toContain(again.status);
    expect(gateway.sandbox.requests.filter(({ model }) => model === upstreamModels["openai-chat"]).length).toBeLessThan(
      5,
    );
  });
});
