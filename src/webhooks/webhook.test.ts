import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { signedHeaders, wants, type Webhook } from "./webhook.ts";

const webhook: Webhook = { accountId: null, url: "https://a.example/", secret: "s", events: null, allowPrivate: false };

describe("the signature", () => {
  test("is that of the example of Standard Webhooks", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const headers = signedHeaders(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}');
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test.each([
    [`whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`],
    ["a text of more than 24 characters"],
  ])("with the secret %s is verified by OpenAI's SDK", async (secret) => {
    const body = '{"type":"usage.unpriced","data":{"model":"modèle"}}';
    const headers = signedHeaders(secret, "evt_1", Math.floor(Date.now() / 1000), body);
    const { webhooks } = new OpenAI({ apiKey: "none", webhookSecret: secret });
    await webhooks.verifySignature(body, headers);
    const failure = await webhooks.verifySignature(`${body} `, headers).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.InvalidWebhookSignatureError);
  });
});

test.each([
  [{}, true],
  [{ accountId: "team-a" }, true],
  [{ accountId: "team-b" }, false],
  [{ events: ["usage.unpriced"] }, true],
  [{ events: ["usage.*"] }, true],
  [{ events: ["*"] }, true],
  [{ events: ["budget.*", "usage.suspect"] }, false],
  [{ events: ["usage"] }, false],
])("a webhook with %j wants usage.unpriced of team-a: %p", (fields, expected) => {
  expect(wants({ ...webhook, ...fields }, { accountId: "team-a", kind: "usage.unpriced" })).toBe(expected);
});
