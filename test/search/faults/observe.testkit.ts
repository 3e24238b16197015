import type { BackendSettings } from "../../../src/config/search-backends.ts";
import { startTestGateway, type TestGateway } from "../../gateway.testkit.ts";
import { searchAt, type Searched } from "../search.testkit.ts";
import { type SearchCell, searchCells } from "./faults.testkit.ts";

/** What was seen of one fault of one provider. */
export interface SearchObservation {
  /** The status of the vendor's answer; null if there was none. */
  readonly vendorStatus: number | null;
  /** The reason of the receipt; null if the backend has answered. */
  readonly reason: string | null;
  /** Status and code that the caller of a named backend sees. */
  readonly named: string;
  /** Calls to the vendor for it. */
  readonly calls: number;
  /** What its record says that it costs, in units of the backend's price. */
  readonly namedUnits: number;
  /** Whether another backend has answered a backend that may fall back. */
  readonly fallsBack: boolean;
  /** Units of the backend with the fault that its caller has paid for; null if another's were paid. */
  readonly units: number | null;
}

const unitPrice = 1_000;
/** Another price than that of the backends with a fault. */
const sparePrice = 70_000;

/** For each cell a backend that is asked alone, and one that may fall back to two healthy ones. */
export function startFaultyGateway(): Promise<TestGateway> {
  return startTestGateway({
    sandbox: { log: { requests: 2_000, bytes: 1 << 24 } },
    backends: (url) => [
      ...["tavily", "serper"].map((provider, index) => ({
        id: `spare-${provider}`,
        provider,
        baseUrl: `${url}/search/${provider}@spare`,
        apiKeys: ["key"],
        priority: index,
        prices: { web_search: sparePrice },
      })),
      ...searchCells.flatMap((cell) => [backendFor(url, cell, "alone"), backendFor(url, cell, "first")]),
    ],
  });
}

function backendFor(url: string, { id, provider, fault }: SearchCell, kind: "alone" | "first"): BackendSettings {
  // The port of a service that no machine runs any more.
  const base = fault.isUnreachable ? "http://127.0.0.1:9" : url;
  return {
    id: `${id}-${kind}`,
    provider,
    baseUrl: `${base}/search/${provider}@${id}-${kind}`,
    apiKeys: [fault.hasWrongKey ? "wrong" : "key"],
    priority: 5,
    prices: { web_search: unitPrice },
    allowFallback: kind === "first",
    ...(fault.name === "silence" && { timeoutMs: 300 }),
  };
}

/** Searches with both backends of a cell. */
export async function observe(gateway: TestGateway, cell: SearchCell): Promise<SearchObservation> {
  const { id, provider, fault, script } = cell;
  for (const kind of ["alone", "first"]) gateway.sandbox.setModel(`search/${provider}@${id}-${kind}`, script);
  const search = (backend: string) => searchAt(gateway, { backend, ...fault.request?.(provider) });
  const alone = await search(`${id}-alone`);
  const calls = gateway.sandbox.requests.filter(({ path }) => path.startsWith(`/search/${provider}@${id}-alone/`));
  const aloneRecord = await gateway.record(alone.headers.get("x-service-request-id"));
  const first = await search(`${id}-first`);
  const { route_receipt: receipt } = first.body;
  const fallsBack = receipt.selected_backend !== `${id}-first`;
  const charged = Number(first.headers.get("x-service-amount-microusd"));
  const vendorStatus = calls.at(-1)?.status ?? null;
  return {
    vendorStatus,
    reason: receipt.rejected.find(({ backend }) => backend === `${id}-first`)?.reason ?? null,
    named: namedOutcome(alone, vendorStatus),
    // A GET is sent again if it was a kept connection that closed, which depends on what came before.
    calls: fault.name === "closed connection" ? Math.min(1, calls.length) : calls.length,
    namedUnits: aloneRecord.billing.amount_microusd / unitPrice,
    fallsBack,
    units: fallsBack && charged % sparePrice === 0 ? null : charged / unitPrice,
  };
}

function namedOutcome({ status, body: { error } }: Searched, vendorStatus: number | null): string {
  if (!error) return String(status);
  const isVendors = status === vendorStatus && error.type === "invalid_request_error";
  return isVendors ? "the vendor's status and words" : `${status} \`${error.code}\``;
}
