import type { TestGateway } from "../gateway.testkit.ts";
import type { BodyOptions, Caller } from "./callers.testkit.ts";

/** Sends a request to a model in this caller's dialect. */
export function post(
  gateway: TestGateway,
  caller: Caller,
  model: string,
  prompt: string,
  options: BodyOptions = {},
): Promise<Response> {
  return gateway.fetch(caller.path(model, options.stream === true), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(caller.body(model, prompt, options)),
  });
}

/** A prompt with a directive for the sandbox. */
export function scripted(script: object): string {
  return `Hi [[sandbox: ${JSON.stringify(script)}]]`;
}

export function requestIdOf(response: Response): string {
  return response.headers.get("x-service-request-id") ?? "";
}
