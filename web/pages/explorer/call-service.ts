import { ApiError, readError } from "../../api/error.ts";

/** A request as an application makes it. */
export interface ServiceRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** JSON, or a form. */
  readonly body?: Readonly<Record<string, unknown>> | FormData;
}

/** A call with the key of the explorer, and without the session. */
export interface ServiceCall extends ServiceRequest {
  readonly key: string;
  readonly signal: AbortSignal;
}

export interface ServiceAnswer {
  readonly response: Response;
  /** By which the record is found. */
  readonly requestId: string | null;
}

/** @throws {ApiError} if it is refused, or there is no answer */
export async function callService({ method = "POST", path, body, key, signal }: ServiceCall): Promise<ServiceAnswer> {
  const isJson = body !== undefined && !(body instanceof FormData);
  const response = await fetch(path, {
    method,
    // The key alone counts, as for an application.
    credentials: "omit",
    // An answer to a key is nobody else's.
    cache: "no-store",
    headers: { authorization: `Bearer ${key}`, ...(isJson && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new ApiError(0, "The gateway cannot be reached.");
  });
  if (!response.ok) throw await readError(response);
  return { response, requestId: response.headers.get("x-service-request-id") };
}
