import type { JsonObject } from "../json.ts";
import type { Sandbox } from "../server.ts";

export interface VendorCall {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | null;
}

/** Calls a vendor of the sandbox. @param place `serper`, or `serper@second` */
export async function callVendor(
  sandbox: Sandbox,
  place: string,
  { method = "POST", path, headers, body = null }: VendorCall,
): Promise<{ status: number; body: JsonObject }> {
  const response = await fetch(`${sandbox.url}/search/${place}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}
