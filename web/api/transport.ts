/** How the console asks the gateway: with its session's cookie, and the session's token against forged requests. */
import { ApiError, readError } from "./error.ts";

let csrf: string | null = null;
let onSignedOut: () => void = () => {};

/** The token that unsafe requests carry; null without a session. */
export function setCsrf(token: string | null): void {
  csrf = token;
}

/** What to do once the gateway says that the session has ended. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

/** Sends a request. @throws {ApiError} if there is no answer, or it is no success */
export async function send(input: Request | string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(input, { credentials: "same-origin", ...init });
  if (csrf !== null && request.method !== "GET") request.headers.set("x-console-csrf", csrf);
  const response = await fetch(request).catch((error: unknown) => {
    if (request.signal.aborted) throw error;
    throw new ApiError(0, "The gateway cannot be reached.");
  });
  if (response.ok) return response;
  const error = await readError(response);
  if (response.status === 401 && csrf !== null) onSignedOut();
  throw error;
}

/** Asks one of the console's own paths, which are no part of the API. */
export async function ask<Result>(method: string, path: string, body?: unknown): Promise<Result> {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await send(path, { method, ...json });
  const text = await response.text();
  return (text === "" ? null : JSON.parse(text)) as Result;
}
