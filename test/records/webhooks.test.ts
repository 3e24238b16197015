import { afterEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Receiver, startReceiver } from "../../src/webhooks/receiver.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** What happens to the bill is told to webhooks. */

const secret = "a text of more than 24 characters";
let receiver: Receiver;
let gateway: TestGateway;
afterEach(async () => {
  await gateway.stop();
  await receiver.stop();
});

const start = async (allowPrivate: boolean) => {
  receiver = startReceiver();
  const target = { provider: "sandbox", model: "sandbox-chat" };
  gateway = await startTestGateway({
    webhooks: [{ accountId: null, url: `${receiver.url}/in`, secret, events: null, allowPrivate }],
    prices: { bundled: false },
    models: [{ id: "unpriced", targets: [target], prices: null }],
  });
};

test("an unpriced request is told of once, signed so that a vendor's SDK verifies it", async () => {
  await start(true);
  const answers = [await gateway.chat({ model: "unpriced" }), await gateway.chat({ model: "unpriced" })];
  await gateway.chat();
  await receiver.arrived(1);
  const [{ headers, body } = { headers: new Headers(), body: "" }] = receiver.received;
  await new OpenAI({ apiKey: "none", webhookSecret: secret }).webhooks.verifySignature(body, headers);
  expect(JSON.parse(body)).toEqual({
    type: "usage.unpriced",
    timestamp: expect.any(String),
    data: {
      account: "default",
      model: "unpriced",
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      request_id: String(answers[0]?.headers.get("x-service-request-id")),
      key_id: expect.any(String),
      endpoint: "/v1/chat/completions",
    },
  });
  expect(receiver.received).toHaveLength(1);
});

test("a private address is refused unless that is allowed, and neither its path nor the secret is logged", async () => {
  await start(false);
  await gateway.chat({ model: "unpriced" });
  const failed = () => gateway.log.find(({ message }) => message === "an event was not delivered");
  while (failed() === undefined) await Bun.sleep(10);
  expect(failed()?.fields).toMatchObject({ kind: "usage.unpriced", problem: "it does not lead to a public host" });
  expect(JSON.stringify(gateway.log)).not.toMatch(/a text of more|\/in"/);
  expect(receiver.received).toEqual([]);
});
