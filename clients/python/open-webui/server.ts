import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../../test/process.testkit.ts";
import type { Cell } from "../../client.ts";
import { exportedVariables } from "../../settings.ts";

/** A running Open WebUI, asked as its page in the browser asks it. */
export interface WebUi {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: object): Promise<Answer>;
  /** Posts without a look at the status. */
  send(path: string, body: object): Promise<Response>;
}

/** No account is asked for, nothing is downloaded, and vectors come from the gateway too. */
const quiet = {
  WEBUI_AUTH: "False",
  OFFLINE_MODE: "True",
  HF_HUB_OFFLINE: "1",
  ANONYMIZED_TELEMETRY: "False",
  RAG_EMBEDDING_ENGINE: "openai",
};

/**
 * Starts the server and signs in.
 * @param settings the block of the page, which exports variables
 */
export async function withWebUi<Result>(
  cell: Cell,
  settings: string,
  use: (webUi: WebUi) => Promise<Result>,
): Promise<Result> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const command = [join(cell.installed.folder, "bin/open-webui"), "serve", "--host", "127.0.0.1", "--port", `${port}`];
  const environment = {
    ...exportedVariables(settings),
    ...quiet,
    DATA_DIR: join(cell.folder, "data"),
    STATIC_DIR: join(cell.folder, "static"),
  };
  return cell.withServer(command, `${url}/health`, { environment }, async () => {
    const anonymous = callsTo(url, cell.signal, {});
    const { token } = await anonymous.post<{ readonly token: string }>("/api/v1/auths/signin", {
      email: "",
      password: "",
    });
    return use(callsTo(url, cell.signal, { authorization: `Bearer ${token}` }));
  });
}

function callsTo(url: string, signal: AbortSignal, authorization: Readonly<Record<string, string>>): WebUi {
  const headers = { ...authorization, "content-type": "application/json" };
  const send = (path: string, body: object) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal });
  return {
    get: async (path) => read(await fetch(url + path, { headers, signal })),
    post: async (path, body) => read(await send(path, body)),
    send,
  };
}

/** The caller says what the answer is. */
async function read<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
  return JSON.parse(text) as Answer;
}
