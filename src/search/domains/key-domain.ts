import { isIpAddress, readDomain } from "./host.ts";

/** What a domain of a key's list has to be. */
export const allowedKeyDomain = "a domain such as example.com, without scheme, path, port and wildcard";

/**
 * A domain that a key may be limited to, in punycode; null if it is none. A top-level domain alone (`com`) is refused: as a
 * limit it can only be a slip. Other public suffixes are domains, since `gov.uk` and `nhs.uk` are sites as well.
 */
export function readKeyDomain(entry: string): string | null {
  const domain = readDomain(entry);
  return domain !== null && (domain.includes(".") || isIpAddress(domain)) ? domain : null;
}
