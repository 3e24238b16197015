import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The provider's message is shown to the operator if a first set-up fails: in the log, and with the attempts. */

const secret = "provider-secret-0123456789";
const failures = {
  "wrong-name": {},
  "bad-key": { fault: { kind: "status", status: 401, message: `Incorrect API key provided: ${secret}.` } },
  embeddings: {
    fault: {
      kind: "status",
      status: 501,
      body: { error: { message: "Start it with `--embeddings`", type: "not_supported_error", code: 501 } },
    },
  },
  framework: { fault: { kind: "status", status: 404, body: { detail: "Not Found" } } },
  proxy: { fault: { kind: "html", status: 502 } },
  endless: { fault: { kind: "status", status: 500, message: "very ".repeat(5_000) } },
  midway: { fault: { kind: "error_event", after: 2, message: "The engine died." } },
} as const;

let gateway: TestGateway;
let admin: RequestInit;
beforeAll(async () => {
  const { "wrong-name": _, ...models } = failures;
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "vendor", baseUrl: url, apiKeys: [secret] },
      { id: "away", baseUrl: "http://127.0.0.1:1/v1" },
    ],
    models: [
      ...Object.keys(failures).map((id) => ({ id, targets: [{ provider: "vendor", model: id }] })),
      { id: "unreachable", targets: [{ provider: "away", model: "m" }] },
    ],
    sandbox: { models },
  });
  const { key } = await gateway.newKey({ admin: true });
  admin = { headers: { authorization: `Bearer ${key}` } };
});
afterAll(() => gateway.stop());

test.each([
  ["wrong-name", 404, "model_not_found", "The model 'wrong-name' does not exist or you do not have access to it."],
  ["bad-key", 401, "invalid_request_error", "Incorrect API key provided: [redacted]."],
  ["embeddings", 501, "501", "Start it with `--embeddings`"],
  ["framework", 404, null, '{"detail":"Not Found"}'],
  ["proxy", 502, null, /^502 Bad Gateway/],
  ["endless", 500, "server_error", /^(very ){60}$/],
  ["midway", 200, "server_error", "The engine died."],
  ["unreachable", null, "ECONNREFUSED", /^The provider could not be reached: /],
])("%s", async (model, status, code, message) => {
  const response = await gateway.chat({ model, stream: model === "midway" });
  const id = response.headers.get("x-service-request-id") ?? "";
  expect(await response.text()).not.toContain(secret);

  const said = typeof message === "string" ? message : (expect.stringMatching(message) as string);
  const shown = await gateway.fetch(`/api/admin/requests/${id}`, admin);
  expect(await shown.json()).toMatchObject({
    attempts: [{ status_code: status, provider_code: code, provider_message: said }],
  });
  const line = gateway.log.find(({ fields, message }) => fields.request_id === id && message === "request");
  expect(line?.fields).toMatchObject({
    status: "failed",
    provider_status: status,
    provider_code: code,
    provider_message: said,
  });
  expect(JSON.stringify(gateway.log)).not.toContain(secret);
});

test("a request that succeeds has no such words", async () => {
  const response = await gateway.chat({});
  const id = response.headers.get("x-service-request-id") ?? "";
  const shown = await gateway.fetch(`/api/admin/requests/${id}`, admin);
  expect(await shown.json()).toMatchObject({ attempts: [{ provider_code: null, provider_message: null }] });
  const line = gateway.log.find(({ fields, message }) => fields.request_id === id && message === "request");
  expect(line?.fields).not.toContainKeys(["provider_status", "provider_message"]);
});
