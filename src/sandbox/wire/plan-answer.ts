import type { Call, Dialect } from "../dialect.ts";
import { isFault } from "../script/fault.ts";
import type { Failure } from "../refusal.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import type { Answer } from "./answer.ts";
import { planStream } from "./plan-stream.ts";

const json = "application/json";
const htmlPage = (status: number) =>
  `<html>\r\n<head><title>${status} Bad Gateway</title></head>\r\n<body>\r\n<center><h1>${status} Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;

/** Plans the answer to a call, including faults of its content. `deliver` sends it. */
export function planAnswer(call: Call, reply: Reply, script: Script, dialect: Dialect): Answer {
  const headers = script.headers ?? {};
  const fault = script.fault;
  switch (fault?.kind) {
    case "status":
      return failAnswer(dialect, script);
    case "html":
      return {
        status: fault.status ?? 502,
        headers: { ...headers, "content-type": "text/html" },
        body: htmlPage(fault.status ?? 502),
      };
    case "empty_body":
      return { status: 200, headers: { ...headers, "content-type": json }, body: "" };
    case "error_body":
      return {
        status: 200,
        headers: { ...headers, "content-type": json },
        body: dialect.writeError(failureOf(script)),
      };
    default:
  }
  const streams = script.force_stream === true || (call.stream && script.ignore_stream !== true);
  const contentType = isFault(fault, "content_type") ? (fault.value ?? "text/plain") : null;
  if (streams) {
    return {
      status: 200,
      headers: { "cache-control": "no-cache", ...headers, "content-type": contentType ?? call.streamContentType },
      body: planStream(call.writeStream(reply, script), call.errorFrame(failureOf(script)), script),
    };
  }
  const isError = fault?.kind === "error_first" || fault?.kind === "error_event";
  if (call.writeSound && !isError) {
    const sound = call.writeSound(reply, script);
    return {
      status: 200,
      headers: { ...headers, "content-type": contentType ?? sound.contentType },
      body: sound.parts,
    };
  }
  const body = isError ? dialect.writeError(failureOf(script)) : call.writeJson(reply, script);
  const ownType = isError ? json : (call.contentType ?? json);
  return { status: 200, headers: { ...headers, "content-type": contentType ?? ownType }, body: spoil(body, script) };
}

function failAnswer(dialect: Dialect, script: Script): Answer {
  const fault = isFault(script.fault, "status") ? script.fault : undefined;
  const status = fault?.status ?? 500;
  const written = fault?.body;
  const failure = { ...failureOf(script), status, code: fault?.code ?? null };
  const body = written === undefined ? dialect.writeError(failure) : written;
  return {
    status,
    headers: {
      ...script.headers,
      "content-type": typeof written === "string" ? "text/plain; charset=utf-8" : json,
      ...fault?.headers,
    },
    body: status === 204 || status === 304 ? "" : typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** The message of the fault's error. */
function failureOf(script: Script): Failure {
  const fault = script.fault;
  const message = fault !== undefined && "message" in fault ? fault.message : undefined;
  return { status: 500, message: message ?? "The sandbox failed, as its script asked.", code: null, param: null };
}

function spoil(text: string, script: Script): string {
  if (script.fault?.kind === "malformed_json") return `${text.slice(0, 1)},${text.slice(1)}`;
  if (script.fault?.kind === "truncated_json") return text.slice(0, Math.floor(text.length / 2));
  return text;
}
