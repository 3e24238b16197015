import { expect } from "bun:test";
import { type Caller, chatCaller } from "../dialects/callers.testkit.ts";
import { modelOf } from "../dialects/gateway.testkit.ts";
import { requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** The default model. */
export const usualModel = modelOf("openai-chat");

/** The request; default: a greeting over chat. */
export interface Sending {
  readonly caller?: Caller;
  readonly script?: object;
  readonly prompt?: string;
  readonly stream?: boolean;
  readonly model?: string;
  /** The API key. */
  readonly by?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request with this `Idempotency-Key`. */
export function sendWithKey(gateway: TestGateway, idempotencyKey: string, sending: Sending = {}): Promise<Response> {
  const { caller = chatCaller, script, stream = false, model = usualModel, by = gateway.key, signal } = sending;
  const prompt = sending.prompt ?? (script ? scripted(script) : "Hello!");
  return gateway.fetch(caller.path(model, stream), {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey, authorization: `Bearer ${by}` },
    body: JSON.stringify(caller.body(model, prompt, { stream })),
    ...(signal ? { signal } : {}),
  });
}

/** Checks a 409 and returns its message. */
export async function conflictOf(response: Response): Promise<string> {
  const body = (await response.json()) as { readonly error: { readonly message: string } };
  expect(response.status).toBe(409);
  expect(body.error).toMatchObject({
    type: "conflict_error",
    code: "idempotency_conflict",
    param: "Idempotency-Key",
    request_id: requestIdOf(response),
  });
  // SDKs retry only if a retry may succeed.
  const isRunning = body.error.message.includes("still running");
  expect(response.headers.get("retry-after")).toBe(isRunning ? "1" : null);
  expect(response.headers.get("x-should-retry")).toBe(isRunning ? null : "false");
  return body.error.message;
}
