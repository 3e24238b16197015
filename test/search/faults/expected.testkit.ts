import type { SearchCell } from "./faults.testkit.ts";
import type { SearchObservation } from "./observe.testkit.ts";

const free = { namedUnits: 0, units: null, fallsBack: true, calls: 1 };

/** What each fault has to come to, whatever its provider's form of it. */
const outcomes: Readonly<Record<string, Partial<SearchObservation>>> = {
  "wrong key": { ...free, reason: "failed_credential", named: "502 `upstream_error`" },
  "quota used up": { ...free, reason: "failed_quota", named: "502 `upstream_error`" },
  "rate limit": { ...free, reason: "failed_rate_limit", named: "429 `provider_rate_limit`" },
  "refused parameter": { ...free, reason: "unsupported_option", named: "the vendor's status and words" },
  "engines failed": { ...free, reason: "failed_invalid_response", named: "502 `upstream_invalid_response`" },
  failure: { ...free, reason: "failed_server", named: "502 `upstream_error`" },
  "proxy's page": { ...free, reason: "failed_server", named: "502 `upstream_error`" },
  silence: { ...free, reason: "failed_timeout", vendorStatus: null },
  "broken JSON": { ...free, reason: "failed_invalid_response", named: "502 `upstream_invalid_response`" },
  "cut JSON": { ...free, reason: "failed_invalid_response", named: "502 `upstream_invalid_response`" },
  "no answer": { ...free, reason: "failed_invalid_response", named: "502 `upstream_invalid_response`" },
  "closed connection": { ...free, reason: "failed_unreachable", named: "502 `upstream_unreachable`" },
  unreachable: { ...free, reason: "failed_unreachable", named: "502 `upstream_unreachable`", calls: 0 },
  "nothing found": { reason: null, named: "200", fallsBack: false, calls: 1 },
};

export function expectedOf({ fault, provider }: SearchCell): Partial<SearchObservation> {
  // Its limit is of one second, so it is worth waiting for.
  if (fault.name === "rate limit" && provider === "brave") return { ...outcomes[fault.name], calls: 3 };
  return outcomes[fault.name] ?? {};
}
