import assert from "node:assert/strict";
import type { Cell } from "../client.ts";

/** A running n8n, asked as its editor in the browser asks it. */
export interface Editor {
  /** The button that tests a credential. */
  testCredential(credential: object): Promise<{ readonly status: string; readonly message: string }>;
  /** What a node for a chat model offers. */
  models(): Promise<string[]>;
}

export function credentialOf(cell: Cell, key: string): object {
  return { id: "tollgate", name: "Tollgate", type: "openAiApi", data: { apiKey: key, url: `${cell.url}/v1` } };
}

/** Sets up the owner of a new n8n and signs in. */
export async function withEditor(url: string, signal: AbortSignal, use: (editor: Editor) => Promise<void>) {
  const headers: Record<string, string> = { "content-type": "application/json", "browser-id": "suite" };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/rest/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal,
    });
    assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
    return response;
  };
  const owner = { email: "me@example.com", firstName: "A", lastName: "B", password: "Suite-1234" };
  const signedIn = await post("owner/setup", owner);
  headers["cookie"] = signedIn.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
  await use({
    async testCredential(credentials) {
      const { data } = (await (await post("credentials/test", { credentials })).json()) as {
        readonly data: { readonly status: string; readonly message: string };
      };
      return data;
    },
    async models() {
      const response = await post("dynamic-node-parameters/resource-locator-results", {
        nodeTypeAndVersion: { name: "@n8n/n8n-nodes-langchain.lmChatOpenAi", version: 1.3 },
        path: "parameters.model",
        methodName: "searchModels",
        currentNodeParameters: { model: { __rl: true, mode: "list", value: "" }, options: {} },
        credentials: { openAiApi: { id: "tollgate", name: "Tollgate" } },
      });
      const { data } = (await response.json()) as {
        readonly data: { readonly results: readonly { readonly value: string }[] };
      };
      return data.results.map(({ value }) => value);
    },
  });
}
