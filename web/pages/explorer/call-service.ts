import { readError } from "../../api/error.ts";
import { ApiError } from "../../api/error.ts";

/** A call as an application makes it: with the key of the explorer, and without the session. */
export interface ServiceCall {
  readonly path: string;
  /** JSON, or a form. */
  readonly body: Readonly<Record<string, unknown>> | FormData;
  readonly key: string;
  readonly signal: AbortSignal;
}

export interface ServiceAnswer {
  readonly response: Response;
  /** By which the record is found. */
  readonly requestId: string | null;
}

/** @throws {ApiError} if it is refused, or there is no answer */
export async function callService({ path, body, key, signal }: ServiceCall): Promise<ServiceAnswer> {
  const isForm = body instanceof FormData;
  const response = await fetch(path, {
    method: "POST",
    // The key alone counts, as for an application.
    credentials: "omit",
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new ApiError(0, "The gateway cannot be reached.");
  });
  if (!response.ok) throw await readError(response);
  return { response, requestId: response.headers.get("x-service-request-id") };
}
