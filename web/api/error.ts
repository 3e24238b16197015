/** An error that the gateway answered with, or a connection that failed. */
export class ApiError extends Error {
  constructor(
    /** 0 if there was no answer. */
    readonly status: number,
    message: string,
    readonly code: string | null = null,
    /** The field at fault. */
    readonly param: string | null = null,
    readonly requestId: string | null = null,
  ) {
    super(message);
  }
}

interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly param?: unknown;
  readonly request_id?: unknown;
}

/** Reads an answer that is no success, whatever is in it. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const { message, code, param, request_id: id } = bodyOf(text);
  const requestId = textOr(id) ?? response.headers.get("x-service-request-id");
  return new ApiError(
    response.status,
    textOr(message) ?? `${response.status} ${response.statusText}`.trim(),
    textOr(code),
    textOr(param),
    requestId,
  );
}

function bodyOf(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as { error?: ErrorBody | string } & ErrorBody;
    if (typeof body.error === "string") return { message: body.error };
    // The paths of sign-in have the error itself as their body.
    return body.error ?? body;
  } catch {
    return {};
  }
}

function textOr(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
