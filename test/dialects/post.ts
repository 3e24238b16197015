import type { TestGateway } from "../gateway.ts";
import type { BodyOptions, Caller } from "./callers.ts";

/** Asks a model as this caller would. */
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

/** A prompt that tells the sandbox what to do. */
export function scripted(script: object): string {
  return `Hi [[sandbox: ${JSON.stringify(script)}]]`;
}

export function requestIdOf(response: Response): string {
  return response.headers.get("x-service-request-id") ?? "";
}
