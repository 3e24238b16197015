import type { NamePattern, VendorModel, VendorPrices } from "../price-table.ts";

/** A model as it is asked for: where, and by which name. */
export interface AskedModel {
  readonly providerId: string;
  readonly baseUrl: string;
  /** The provider's own name for the model. */
  readonly name: string;
}

/**
 * Vendors whose models are known by name: at an unknown address the vendor's own prices stand in. The weights of other
 * vendors' models are public, and a server of one's own costs nothing by the token.
 */
const closedVendors: ReadonlySet<string> = new Set(["openai", "anthropic", "google", "x-ai"]);

/** Models of these vendors whose weights are public all the same. */
const openWeights = /gpt-oss/i;

/**
 * The model that a provider charges for: the vendor is told by the provider's address, else by its id, else by the name of
 * the model if only one vendor has such models. Null if none is known.
 */
export function findVendorModel(vendors: readonly VendorPrices[], asked: AskedModel): VendorModel | null {
  const vendor = vendorOf(vendors, asked);
  return vendor ? (modelOf(vendors, vendor, asked.name) ?? modelOf(vendors, vendor, withDashes(asked.name))) : null;
}

function vendorOf(vendors: readonly VendorPrices[], { providerId, baseUrl, name }: AskedModel): VendorPrices | null {
  const byAddress = vendors.find(({ address }) => new RegExp(`^(?:${address})`).test(baseUrl));
  const known = byAddress ?? vendors.find(({ id }) => id === providerId);
  if (known || openWeights.test(name)) return known ?? null;
  return vendors.find(({ id, names }) => closedVendors.has(id) && names !== null && matches(names, name)) ?? null;
}

function modelOf(vendors: readonly VendorPrices[], vendor: VendorPrices, name: string): VendorModel | null {
  const own = vendor.models.find(({ match }) => matches(match, name));
  if (own) return own;
  for (const other of vendor.alsoServes) {
    const found = vendors.find(({ id }) => id === other)?.models.find(({ match }) => matches(match, name));
    if (found) return found;
  }
  return null;
}

export function matches(pattern: NamePattern, name: string): boolean {
  const lower = name.toLowerCase();
  if ("equals" in pattern) return lower === pattern.equals.toLowerCase();
  if ("starts_with" in pattern) return lower.startsWith(pattern.starts_with.toLowerCase());
  if ("ends_with" in pattern) return lower.endsWith(pattern.ends_with.toLowerCase());
  if ("contains" in pattern) return lower.includes(pattern.contains.toLowerCase());
  if ("regex" in pattern) return new RegExp(pattern.regex).test(name);
  if ("or" in pattern) return pattern.or.some((each) => matches(each, name));
  return pattern.and.every((each) => matches(each, name));
}

/** `model-20250929` as `model-2025-09-29`: vendors write the day of a model in both ways. */
function withDashes(name: string): string {
  return name.replace(/-(20\d{2})(\d{2})(\d{2})(?=-|:|$)/g, "-$1-$2-$3");
}
