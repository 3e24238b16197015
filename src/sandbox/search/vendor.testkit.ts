import type { JsonObject } from "../json.ts";
import { startSandbox } from "../server.ts";

export interface VendorAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

interface Asked {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** As in the address: `@second`. */
  readonly account?: string;
}

/** A search vendor in a sandbox of its own. A call with a body is a POST. */
export async function startVendor(name: string) {
  const sandbox = await startSandbox();
  const ask = async (path: string, { body, headers, account = "" }: Asked = {}): Promise<VendorAnswer> => {
    const response = await fetch(`${sandbox.url}/search/${name}${account}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  return { sandbox, ask };
}
