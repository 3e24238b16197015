import { isPublicAddress } from "../../upstream/address-guard.ts";
import { allowsHost, type DomainSet } from "../domains/domain-rules.ts";
import { isIpAddress, readAddress } from "../domains/host.ts";
import type { PageErrorCode } from "./page-error.ts";

/** Ends of names that are never those of a public host: RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and usual ones. */
const privateEnds: ReadonlySet<string> = new Set(
  "localhost local internal localdomain intranet private corp home lan test invalid onion arpa".split(" "),
);

/** An address that may be fetched, or why not. */
export type CheckedUrl =
  | { readonly url: string; readonly refusal: null }
  | { readonly url: null; readonly refusal: PageErrorCode };

/**
 * Whether an address may be fetched for a caller: http or https, without user and password, of a public host within the
 * domains. The name is judged as it is written; what it resolves to is the provider's to judge, which fetches from its own
 * network. Decimal, octal, hexadecimal, short and full-width spellings of IP addresses are read as what they mean.
 * @param domains null: all
 */
export function checkUrl(text: string, domains: DomainSet | null): CheckedUrl {
  const address = readAddress(text);
  if (address === null) return { url: null, refusal: "invalid_url" };
  const { url, host } = address;
  if (!isPublicHost(host)) return { url: null, refusal: "private_address" };
  const rules = { include: domains, exclude: new Set<string>() };
  return allowsHost(rules, host) ? { url, refusal: null } : { url: null, refusal: "domain_not_allowed" };
}

/** @param host as `WebAddress.host` has it: lower case, punycode, without a dot at its end, IPv6 in brackets */
function isPublicHost(host: string): boolean {
  if (isIpAddress(host)) return isPublicAddress(host.replace(/^\[|\]$/g, ""));
  const end = host.lastIndexOf(".");
  return end > 0 && !privateEnds.has(host.slice(end + 1));
}
