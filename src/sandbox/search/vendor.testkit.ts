import { startSandbox } from "../server.ts";
import { callVendor } from "./vendor-client.testkit.ts";

interface Asked {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** As in the address: `@second`. */
  readonly account?: string;
}

/** A search vendor in a sandbox of its own. A call with a body is a POST. */
export async function startVendor(name: string) {
  const sandbox = await startSandbox();
  const ask = (path: string, { body, headers = {}, account = "" }: Asked = {}) =>
    callVendor(sandbox, `${name}${account}`, {
      method: body === undefined ? "GET" : "POST",
      path,
      headers,
      body: body ?? null,
    });
  return { sandbox, ask };
}
