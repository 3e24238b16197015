import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "./gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("one request in, one answer out, one exact record kept", async () => {
  const response = await gateway.chat();
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { id: string; usage: { prompt_tokens: number; completion_tokens: number } };
  const id = response.headers.get("x-service-request-id");
  const record = await gateway.record(id);
  console.log(JSON.stringify(record, null, 1), answer);
});

test("stream", async () => {
  const response = await gateway.chat({ stream: true });
  console.log(await response.text());
  console.log(JSON.stringify(await gateway.record(response.headers.get("x-service-request-id"))));
});
