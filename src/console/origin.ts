import { permissionError } from "../errors.ts";
import type { RequestHeaders } from "../http/headers.ts";

/** The site that the console is part of, as browsers see it. */
export interface Site {
  /** Such as `https://gateway.example`. */
  readonly origin: string;
  readonly isSecure: boolean;
}

/** @param publicUrl null: what the request says, also if a proxy ends TLS */
export function siteOf(headers: RequestHeaders, publicUrl: string | null): Site {
  const protocol = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  const given = publicUrl ?? `${protocol}://${headers.get("host") ?? ""}`;
  const origin = URL.parse(given)?.origin ?? "http://localhost";
  return { origin, isSecure: origin.startsWith("https:") };
}

/**
 * Sees to it that a request that changes something comes from a page of this site: browsers say so in `Origin`, in
 * `Sec-Fetch-Site`, or in both.
 * @throws 403 `csrf_check_failed`
 */
export function checkSameOrigin(headers: RequestHeaders, { origin }: Site): void {
  const from = headers.get("origin");
  const relation = headers.get("sec-fetch-site");
  if (from === null && relation === null) throw csrfError("it has neither 'Origin' nor 'Sec-Fetch-Site'");
  if (relation !== null && relation !== "same-origin") throw csrfError("'Sec-Fetch-Site' is not 'same-origin'");
  if (from !== null && from !== origin) {
    throw csrfError(
      `'Origin' is not ${origin}; behind a proxy, set console.public_url to the address that browsers use`,
    );
  }
}

/** The same for a request that reads, which may also be typed into the address bar. @throws 403 `csrf_check_failed` */
export function checkReader(headers: RequestHeaders, { origin }: Site): void {
  const from = headers.get("origin");
  const relation = headers.get("sec-fetch-site");
  const isForeign = relation !== null && relation !== "same-origin" && relation !== "none";
  if (isForeign || (from !== null && from !== origin)) throw csrfError("a page of another site sent it");
}

export function csrfError(what: string) {
  return permissionError("csrf_check_failed", `This request does not come from the console: ${what}.`);
}
