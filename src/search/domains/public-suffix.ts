import { getPublicSuffix } from "tldts";
import { isIpAddress } from "./host.ts";

/** Whether anyone may have a name below this domain, as below `co.uk` or `github.io`. */
export function isPublicSuffix(domain: string): boolean {
  return !isIpAddress(domain) && getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}
