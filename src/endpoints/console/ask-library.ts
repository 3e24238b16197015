import { addressHeader } from "../../console/auth-terms.ts";
import type { AuthUse } from "../../console/console.ts";
import { GatewayError, invalidRequest } from "../../errors.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import type { Visit } from "../visit.ts";
import { addressOf, consoleOf } from "./console-visit.ts";

/** A question to the library of sign-in, made of what the gateway has checked and nothing else. */
interface Question {
  readonly method: "GET" | "POST";
  /** Below `/console/auth/`, with its query. */
  readonly path: string;
  readonly body?: object;
  /** `own` unless told. */
  readonly use?: AuthUse;
}

export interface LibraryAnswer {
  readonly status: number;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  /** Where to go on; null if it is no redirect. */
  readonly location: string | null;
  /** JSON; null if there is none. */
  readonly body: unknown;
}

const maxUserAgent = 256;

/** @throws 503 if the storage fails, or the library cannot say why */
export async function askLibrary(visit: Visit, { method, path, body, use = "own" }: Question): Promise<LibraryAnswer> {
  const { services, request } = visit;
  const console = consoleOf(visit);
  const site = console.siteOf(request.headers);
  const headers = new Headers({ origin: site.origin, [addressHeader]: addressOf(visit) });
  const cookie = request.headers.get("cookie");
  if (cookie !== null) headers.set("cookie", cookie);
  const agent = request.headers.get("user-agent")?.replaceAll(/[^\x20-\x7e]/g, "") ?? "";
  headers.set("user-agent", agent.slice(0, maxUserAgent));
  if (body !== undefined) headers.set("content-type", "application/json");
  return withStorage(services, async () => {
    const auth = await console.auth(site, use);
    const url = `${site.origin}/console/auth/${path}`;
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await auth.handle(new Request(url, { method, headers, body: text }));
    if (response.status >= 500)
      throw new Error(`The library of sign-in answered ${response.status} at ${method} ${path.replace(/\?.*/s, "")}.`);
    return {
      status: response.status,
      cookies: response.headers.getSetCookie(),
      location: response.headers.get("location"),
      body: parse(await response.text()),
    };
  });
}

/** What the library refused, in the gateway's form. */
export function refusalOf({ status, body }: LibraryAnswer): GatewayError {
  const { message, code } = errorIn(body);
  if (code === "SESSION_NOT_FRESH") {
    const again = "Sign in again before you add a passkey: this session is older than a day.";
    return GatewayError.of("not_signed_in", again);
  }
  if (status === 401) return GatewayError.of("not_signed_in", "Sign in to the console.");
  return invalidRequest("invalid_request", message ?? "The request was refused.");
}

export function errorIn(body: unknown): { readonly message: string | null; readonly code: string | null } {
  const { message, code } = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  return { message: typeof message === "string" ? message : null, code: typeof code === "string" ? code : null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
