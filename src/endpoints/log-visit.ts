import type { ServerExchange } from "../server/exchange.ts";
import type { GatewayError } from "../errors.ts";
import { isLogged } from "../pipeline/refuse.ts";
import type { Services } from "../pipeline/services.ts";

/** Paths that orchestrators ask every few seconds. */
const unlogged: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** Paths are callers' input. */
const maxPath = 256;

/** Whether a good answer at this path has no log line. */
export function isUnlogged(path: string): boolean {
  return unlogged.has(path);
}

interface Answered {
  readonly request: ServerExchange;
  readonly path: string;
  readonly requestId: string;
  /** Milliseconds of the steady clock. */
  readonly startedTick: number;
}

/** Writes the log line of a request to one of the gateway's own paths or to an unknown path, with the fields of every log line. */
export function logVisit(
  services: Pick<Services, "log" | "steady" | "refusals">,
  { request, path, requestId, startedTick }: Answered,
  statusCode: number,
  error: GatewayError | null,
): void {
  if (error !== null && statusCode < 500 && !isLogged(services, null, error)) return;
  const { log, steady } = services;
  log.request({
    requestId,
    keyId: null,
    method: request.method,
    endpoint: path.slice(0, maxPath),
    model: "",
    resolvedModel: null,
    provider: null,
    status: error === null ? "succeeded" : statusCode < 500 ? "refused" : "failed",
    statusCode,
    stream: false,
    attempts: 0,
    latencyMs: Math.round(steady.now() - startedTick),
    dimensions: [],
    amountMicrousd: null,
    error,
    failure: null,
  });
}
