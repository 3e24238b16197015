import type { IncomingMessage, ServerResponse } from "node:http";
import { control, controlPrefix } from "./control.ts";
import type { Dialect, Operation } from "./dialect.ts";
import { dialects } from "./dialects.ts";
import { generate } from "./generate.ts";
import { findModel, listedModels } from "./models.ts";
import { Refusal, type Failure } from "./refusal.ts";
import type { RequestEntry } from "./request-log.ts";
import type { SandboxState } from "./state.ts";
import type { Answer, ScriptedAnswer } from "./wire/answer.ts";
import { deliver } from "./wire/deliver.ts";
import { openLine } from "./wire/line.ts";

/** Answers one HTTP request. Never rejects: a failure becomes the vendor's error, or a closed connection. */
export async function handleRequest(
  state: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? "/", "http://sandbox");
    const headers = headersOf(request);
    const { dialect, operation } = findRoute(request.method ?? "GET", url.pathname, headers);
    let body: Uint8Array;
    try {
      body = await readBody(request);
    } catch (error) {
      if (error instanceof Refusal) refuseBody(response, dialect.writeError(error.failure));
      return;
    }
    if (state.control && url.pathname.startsWith(controlPrefix))
      return await answerControl(state, request, url, body, response);

    const entry = enter(state, request, headers, body);
    const line = openLine(response, entry, () => state.log.changed());
    const { answer, script } = await answerRequest(state, entry, body, url, dialect, operation);
    state.log.changed();
    const always = dialect.headers(`req_${state.instance}${state.sequence}`);
    await deliver(line, { ...answer, headers: { ...always, ...answer.headers } }, script);
  } catch {
    response.socket?.destroy();
  }
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

function findRoute(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): { dialect: Dialect; operation: Operation } {
  for (const dialect of dialects) {
    const operation = dialect.route(method, path, headers);
    if (operation !== null) return { dialect, operation };
  }
  const message = `Unknown request URL: ${method} ${path.slice(0, 200)}. Please check the URL for typos.`;
  const failure: Failure = { status: 404, message, code: "unknown_url", param: null };
  return { dialect: dialects[0], operation: { kind: "refuse", failure } };
}

function enter(
  state: SandboxState,
  request: IncomingMessage,
  headers: Record<string, string>,
  body: Uint8Array,
): RequestEntry {
  state.sequence += 1;
  const entry: RequestEntry = {
    number: state.sequence,
    receivedAt: Date.now(),
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers,
    body,
    model: null,
    status: null,
    bytesSent: 0,
    writesSent: 0,
    outcome: "open",
    endedAt: null,
  };
  state.log.add(entry);
  return entry;
}

async function answerRequest(
  state: SandboxState,
  entry: RequestEntry,
  body: Uint8Array,
  url: URL,
  dialect: Dialect,
  operation: Operation,
): Promise<ScriptedAnswer> {
  try {
    if (operation.kind === "bytes") {
      return {
        answer: { status: 200, headers: { "content-type": operation.contentType }, body: [operation.bytes] },
        script: {},
      };
    }
    if (operation.kind === "refuse")
      throw new Refusal(operation.failure.status, operation.failure.message, operation.failure);
    if (!dialect.takesAnyCredential) checkCredential(state, dialect.credential(entry.headers, url.searchParams));
    if (operation.kind === "generate" || operation.kind === "receive") {
      return generate(state, entry, body, dialect, operation, url.searchParams);
    }
    const ids = [...new Set([...listedModels, ...state.models.keys()])];
    const catalog = { ids, has: (id: string) => findModel(id, state.models) !== null };
    if (operation.kind === "serve") {
      const { headers } = entry;
      return await operation.serve({ body, headers, query: url.searchParams, catalog, memory: state.memory });
    }
    const known = operation.answer(catalog, state.memory, url.searchParams);
    return { answer: jsonAnswer(200, JSON.stringify(known)), script: {} };
  } catch (error) {
    const failure = error instanceof Refusal ? error.failure : internalFailure;
    return { answer: jsonAnswer(failure.status, dialect.writeError(failure)), script: {} };
  }
}

const internalFailure: Failure = { status: 500, message: "The sandbox itself failed.", code: null, param: null };

function checkCredential(state: SandboxState, key: string | null): void {
  if (state.apiKeys === null || (key !== null && state.apiKeys.has(key))) return;
  const message = key === null ? "You didn't provide an API key." : "Incorrect API key provided.";
  throw new Refusal(401, message, { code: "invalid_api_key" });
}

function jsonAnswer(status: number, body: string): Answer {
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Closes the connection with the answer, because the rest of a body that is too long is not read. */
function refuseBody(response: ServerResponse, body: string): void {
  response.writeHead(413, { "content-type": "application/json", connection: "close" });
  response.end(body);
}

async function answerControl(
  state: SandboxState,
  request: IncomingMessage,
  url: URL,
  body: Uint8Array,
  response: ServerResponse,
): Promise<void> {
  let status = 200;
  let answer: unknown;
  try {
    answer = await control(state, request.method ?? "GET", url, new TextDecoder().decode(body));
  } catch (error) {
    const failure = error instanceof Refusal ? error.failure : internalFailure;
    status = failure.status;
    answer = { error: failure };
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}

/** Maximum size of a body. */
export const maxBodyBytes = 64 * 1024 * 1024;

/** Reads a request body. Throws a 413 if it is too long, and an Error if the caller disconnects. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBodyBytes) {
      throw new Refusal(413, `The request body is larger than ${maxBodyBytes} bytes.`, { code: "request_too_large" });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
