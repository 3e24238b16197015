/** The one log line of a request. It holds no secret and no text of the conversation. */
export interface RequestLine {
  readonly requestId: string;
  readonly keyId: string | null;
  /** Null on billable paths, if the path says it. */
  readonly method: string | null;
  readonly endpoint: string;
  /** As the caller wrote it. */
  readonly model: string;
  readonly resolvedModel: string | null;
  readonly provider: string | null;
  readonly status: string;
  readonly statusCode: number;
  readonly stream: boolean;
  readonly attempts: number;
  readonly latencyMs: number;
  /** Quantities consumed, each a field: `input_tokens`. */
  readonly dimensions: readonly { readonly name: string; readonly quantity: number; readonly unit: string }[];
  /** Null if nothing was charged or refunded. */
  readonly amountMicrousd: number | null;
  readonly error: { readonly type: string; readonly code: string | null } | null;
  /** The provider's message, if the request failed there. */
  readonly failure: {
    readonly status: number | null;
    readonly code: string | null;
    readonly message: string | null;
  } | null;
}

/** The line as JSON, by a template: a request's line is on its path, and `JSON.stringify` wants an object first. */
export function requestJson(line: RequestLine, time: string): string {
  const method = line.method === null ? "" : `"method":${quote(line.method)},`;
  let usage = "";
  for (const { name, quantity, unit } of line.dimensions) usage += `,"${name}_${unit}s":${quantity}`;
  if (line.amountMicrousd !== null) usage += `,"amount_microusd":${line.amountMicrousd}`;
  const { error, failure } = line;
  if (error !== null) usage += `,"error_type":${quote(error.type)},"error_code":${quote(error.code)}`;
  if (failure !== null) {
    usage += `,"provider_status":${failure.status},"provider_code":${quote(failure.code)},"provider_message":${quote(failure.message)}`;
  }
  return `{"level":"info","time":"${time}","request_id":"${line.requestId}","key_id":${quote(line.keyId)},${method}"endpoint":${quote(line.endpoint)},"model":${quote(line.model)},"resolved_model":${quote(line.resolvedModel)},"provider":${quote(line.provider)},"status":"${line.status}","status_code":${line.statusCode},"stream":${line.stream},"attempts":${line.attempts},"latency_ms":${line.latencyMs}${usage},"message":"request"}\n`;
}

/** The same fields as an object, in the same order. */
export function requestFields(line: RequestLine): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {
    request_id: line.requestId,
    key_id: line.keyId,
    ...(line.method === null ? {} : { method: line.method }),
    endpoint: line.endpoint,
    model: line.model,
    resolved_model: line.resolvedModel,
    provider: line.provider,
    status: line.status,
    status_code: line.statusCode,
    stream: line.stream,
    attempts: line.attempts,
    latency_ms: line.latencyMs,
  };
  for (const { name, quantity, unit } of line.dimensions) fields[`${name}_${unit}s`] = quantity;
  if (line.amountMicrousd !== null) fields.amount_microusd = line.amountMicrousd;
  if (line.error !== null) {
    fields.error_type = line.error.type;
    fields.error_code = line.error.code;
  }
  if (line.failure !== null) {
    fields.provider_status = line.failure.status;
    fields.provider_code = line.failure.code;
    fields.provider_message = line.failure.message;
  }
  return fields;
}

/** Characters that a JSON string must escape, and halves of surrogate pairs. */
// eslint-disable-next-line no-control-regex
const special = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string | null): string {
  if (text === null) return "null";
  return special.test(text) ? JSON.stringify(text) : `"${text}"`;
}
