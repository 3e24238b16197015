import { openRaw, type RawResponse } from "../raw-http.testkit.ts";
import type { Browser } from "./console.testkit.ts";

/** A request of a browser whose body has not come yet. */
export interface SlowRequest {
  /** Whether the gateway answered without waiting for the body. */
  readonly isAnswered: boolean;
  /** Sends the body, unless there is an answer already, and returns the answer. */
  finish(): Promise<RawResponse>;
}

/** Sends all of a request but its body, and waits until the gateway asks for it or has answered. */
export async function beginRequest(
  browser: Browser,
  url: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: object },
): Promise<SlowRequest> {
  const text = JSON.stringify(body);
  const connection = await openRaw(url);
  const headers = {
    host: new URL(url).host,
    origin: url,
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "x-console-csrf": browser.csrf,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    expect: "100-continue",
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.send(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const first = await connection.response();
  const isAnswered = first.status !== 100;
  return {
    isAnswered,
    async finish() {
      if (!isAnswered) connection.send(text);
      const response = isAnswered ? first : await connection.response();
      connection.close();
      return response;
    },
  };
}
