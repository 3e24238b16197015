import { isIpAddress } from "./host.ts";

/** Domains, looked up by host. A domain covers itself and all hosts below it; an address covers itself alone. */
export type DomainSet = ReadonlySet<string>;

/** Which hosts results may come from. */
export interface DomainRules {
  /** Null: all. An empty set allows none. */
  readonly include: DomainSet | null;
  readonly exclude: DomainSet;
}

/** Rules that allow every host. */
export const noRules: DomainRules = { include: null, exclude: new Set() };

/** Whether a domain of the set covers a host: by whole labels, so `example.com` covers no `notexample.com`. */
export function covers(domains: DomainSet, host: string): boolean {
  if (domains.size === 0) return false;
  if (domains.has(host)) return true;
  return (domains.size <= fewDomains ? isBelowOne(domains, host) : hasParentIn(domains, host)) && !isIpAddress(host);
}

/** So many domains are compared one by one more quickly than the domains above a host are looked up. */
const fewDomains = 8;

function isBelowOne(domains: DomainSet, host: string): boolean {
  for (const domain of domains) {
    if (host.endsWith(domain) && host.charAt(host.length - domain.length - 1) === ".") return true;
  }
  return false;
}

function hasParentIn(domains: DomainSet, host: string): boolean {
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    if (domains.has(host.slice(dot + 1))) return true;
  }
  return false;
}

/** Whether a host keeps to the rules. What is both included and excluded is excluded. */
export function allowsHost({ include, exclude }: DomainRules, host: string): boolean {
  return (include === null || covers(include, host)) && !covers(exclude, host);
}

/** Whether the rules restrict anything. */
export function areRestrictive({ include, exclude }: DomainRules): boolean {
  return include !== null || exclude.size > 0;
}

/**
 * What two lists both allow: of each pair that overlap, the narrower domain, those of the first list first. Null if neither
 * restricts anything; empty if they have nothing in common.
 */
export function intersectDomains(one: DomainSet | null, other: DomainSet | null): DomainSet | null {
  if (one === null || other === null) return one ?? other;
  const both = [...one].filter((domain) => covers(other, domain));
  return widest([...both, ...[...other].filter((domain) => covers(one, domain))]);
}

/** The domains without those that another of them covers. */
export function widest(domains: Iterable<string>): DomainSet {
  const all = new Set(domains);
  return new Set([...all].filter((domain) => isIpAddress(domain) || !hasParentIn(all, domain)));
}
