import createClient from "openapi-fetch";
import type { paths } from "./schema.ts";
import { send } from "./transport.ts";

/** The gateway's API, typed by its OpenAPI document. A call throws an {@link ApiError} unless it succeeds. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: (request) => send(request) });

/** What a call has answered. */
export async function answerOf<Data>(call: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await call;
  if (data === undefined) throw new TypeError("An answer without a body.");
  return data;
}
