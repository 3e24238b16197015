import type { ServerExchange } from "../server/exchange.ts";
import { type GatewayError, notFound } from "../errors.ts";
import type { PathTable } from "./path-table.ts";
import type { Method } from "./visit.ts";

/** Prefixes that a client's base URL may lack. */
const prefixes = ["", "/v1", "/v1beta"];
/** Segments of a path that are looked at: paths are callers' input, and each place costs a search. */
const maxSegments = 8;
const maxShown = 200;

/**
 * 404 for a path where nothing is. If a client's base URL is the likely reason (a version too few or too many, a whole
 * endpoint), it names the path that was meant and the base URL to set.
 */
export function unknownPath(table: PathTable, request: ServerExchange, path: string): GatewayError {
  const remedy = path.length > maxShown ? "" : remedyFor(table, request, path);
  return notFound("unknown_path", `Unknown path ${request.method} ${path.slice(0, maxShown)}.${remedy}`);
}

function remedyFor(table: PathTable, request: ServerExchange, path: string): string {
  const meant = meantPath(table, request.method, path);
  if (meant !== null) return ` Did you mean ${meant}? ${baseUrlFor(meant, originOf(request))}`;
  // The Vercel AI SDK's Google provider takes a name with a slash for a path, and leaves out `models/`.
  const [, version = "", model = "", action = ""] = /^(\/v1(?:beta)?\/)(.+)(:\w+)$/.exec(path) ?? [];
  const whole = `${version}models/${model}${action}`;
  if (model === "" || !isServed(table, request.method, whole)) return "";
  return ` Did you mean ${whole}? Name the model 'models/${model}' in the client.`;
}

/** The path of the table that the end of this one names. */
function meantPath(table: PathTable, method: string, path: string): string | null {
  const segments = path.split("/").slice(1, maxSegments + 1);
  for (let start = 0; start < segments.length; start++) {
    const rest = `/${segments.slice(start).join("/")}`;
    for (const prefix of prefixes) {
      const candidate = prefix + rest;
      if (candidate !== path && isServed(table, method, candidate)) return candidate;
    }
  }
  return null;
}

function isServed(table: PathTable, method: string, path: string): boolean {
  const { entry } = table.find(path) ?? {};
  // A method that is in the table is one of its own.
  const asked = method as Method;
  return entry !== undefined && (entry.operations[asked] !== undefined || entry.handlers[asked] !== undefined);
}

/** Anthropic's and Google's SDKs add the version themselves. */
function baseUrlFor(path: string, origin: string): string {
  if (path.startsWith("/v1beta/")) return `Set the base URL of a Google client to ${origin}`;
  if (path.startsWith("/v1/messages")) return `Set the base URL of an Anthropic client to ${origin}`;
  return path.startsWith("/v1/") ? `Set the base URL of an OpenAI client to ${origin}/v1` : "";
}

/** The address under which the caller knows the gateway, also behind a proxy that ends TLS. */
function originOf({ headers }: ServerExchange): string {
  const protocol = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${protocol}://${headers.get("host") ?? ""}`;
}
