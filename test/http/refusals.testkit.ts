import { expect } from "bun:test";
import type { TestGateway } from "../gateway.testkit.ts";

/** Text of a prompt that must not appear elsewhere. */
export const secretWords = "the quick brown prompt";

/** A chat request with this text. */
export function chatBody(fields: object): string {
  return JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: secretWords }], ...fields });
}

/** Checks that the process still serves, and that the log contains no secret or prompt. */
export async function expectUntouched(gateway: TestGateway): Promise<void> {
  const good = await gateway.chat();
  expect(good.status).toBe(200);
  await good.arrayBuffer();
  const log = JSON.stringify(gateway.log);
  expect(log).not.toContain(gateway.key);
  expect(log).not.toContain(secretWords);
  expect(gateway.log.filter((line) => line.level === "error")).toEqual([]);
}

/** The expected error; default: 400 and `invalid_request_error`. */
export interface Expected {
  readonly status?: number;
  readonly type?: string;
  readonly code: string;
  readonly param: string | null;
}

/** A response with its body. */
export interface Refusal {
  readonly status: number;
  readonly headers: { get(name: string): string | null | undefined };
  readonly body: string;
}

/** Sends a request and checks that it was refused before a provider was called. Returns its id. */
export async function refused(gateway: TestGateway, send: () => Promise<Refusal>, expected: Expected): Promise<string> {
  const before = gateway.sandbox.requests.length;
  const { status, headers, body } = await send();
  const { error } = JSON.parse(body) as { error: Record<string, unknown> };
  const seen: unknown = { status, ...error };
  expect(seen).toEqual({
    status: expected.status ?? 400,
    type: expected.type ?? "invalid_request_error",
    code: expected.code,
    param: expected.param,
    message: expect.any(String),
    request_id: headers.get("x-service-request-id"),
  });
  expect(String(error.message).length).toBeLessThan(1_000);
  expect(gateway.sandbox.requests.length).toBe(before);
  return String(error.request_id);
}

/** The same for a request that leaves a record. */
export async function refusedAndRecorded(
  gateway: TestGateway,
  send: () => Promise<Refusal>,
  expected: Expected,
): Promise<void> {
  const id = await refused(gateway, send, expected);
  expect(await gateway.record(id)).toMatchObject({
    status: "refused",
    error: { type: expected.type ?? "invalid_request_error", code: expected.code },
    billing: { amount_microusd: 0, line_items: [], status: "refunded" },
    routing: { status_code: expected.status ?? 400, attempts: 0, resolved_model: null, chose_provider: null },
  });
}

/** The same for a request that leaves no record. */
export async function refusedWithoutRecord(
  gateway: TestGateway,
  send: () => Promise<Refusal>,
  expected: Expected,
): Promise<void> {
  const id = await refused(gateway, send, expected);
  const lookup = await gateway.fetch(`/api/usage/requests/${id}`);
  expect(lookup.status).toBe(404);
  await lookup.arrayBuffer();
}
