import type { Accounts } from "../billing/accounts/accounts.ts";
import { charge, refundedCharge } from "../billing/charge.ts";
import type { PriceBook } from "../billing/prices/price-book.ts";
import type { ModelPrices } from "../billing/prices/prices.ts";
import { readProviderCost } from "../billing/provider-cost.ts";
import { type ChargeTerms, settledCharge } from "../billing/settled-charge.ts";
import { splitUsage } from "../billing/split-usage.ts";
import type { FinishedJob } from "../dialects/exchange.ts";
import { measure } from "../metering/measure.ts";
import type { Usage } from "../metering/usage.ts";
import type { UsageRecord } from "../records/record.ts";
import type { Services } from "./services.ts";

/**
 * Ends the pending record of the request that began a job: it is charged by what the provider reports, once, and never more
 * than was held for it. A job that is unknown, or whose record is final, is left as it is.
 */
export async function finishJob(
  { recorder, catalog, prices, accounts }: Pick<Services, "recorder" | "catalog" | "prices" | "accounts">,
  keyId: string,
  job: FinishedJob,
): Promise<void> {
  const record = await recorder.find(keyId, job.id);
  if (record?.status !== "pending") return;
  const nothing = async () => ({});
  const measured = await measure(job.usage, { input: nothing, output: nothing });
  await recorder.commit(await finalRecord({ catalog, prices, accounts }, record, { ...job, measured }));
}

/** How a job has ended. */
export interface JobEnd extends Pick<FinishedJob, "status" | "usage"> {
  readonly measured: Usage;
  /** The provider's own name of the model; absent: as the record's attempts have it. */
  readonly upstreamModel?: string | null;
}

/** The final record of a request whose job has ended: by the prices under which it began, and never above what was held. */
export async function finalRecord(
  { catalog, prices, accounts }: Pick<Services, "catalog" | "prices" | "accounts">,
  record: UsageRecord,
  end: JobEnd,
): Promise<UsageRecord> {
  // The version that the job began under, whatever is in force now.
  const book = await prices.at(record.billing.pricingVersion);
  const modelPrices = pricesOf(book, catalog, record, end.upstreamModel);
  const facts = {
    at: record.createdAt,
    serviceTier: end.usage?.serviceTier ?? null,
    providerCost: end.usage && modelPrices?.isProviderCost ? readProviderCost(end.usage.raw) : null,
  };
  const usage = splitUsage(end.measured, end.usage?.parts, modelPrices);
  const billing =
    end.status === "succeeded"
      ? settledCharge(charge(usage, modelPrices, book.version, facts), await termsOf(accounts, record))
      : refundedCharge(book.version);
  const providerUsage = record.providerUsage && { ...record.providerUsage, rawFields: end.usage?.raw ?? {} };
  return { ...record, status: end.status, usage, billing, providerUsage };
}

/** The prices of the model and target that took the job on, also if they have left the configuration meanwhile. */
export function pricesOf(
  book: Pick<PriceBook, "pricesOf">,
  catalog: Services["catalog"],
  { routing, attempts }: Pick<UsageRecord, "routing" | "attempts">,
  upstreamModel?: string | null,
): ModelPrices | null {
  const { resolvedModel: id, provider } = routing;
  if (id === null || provider === null) return null;
  const name = upstreamModel ?? attempts.findLast(({ outcome }) => outcome === "answered")?.upstreamModel ?? id;
  const model = catalog.find(id);
  const ofProvider = model?.targets.filter((target) => target.provider.id === provider) ?? [];
  const target = ofProvider.find((each) => each.model === name) ?? ofProvider[0];
  if (model && target) return book.pricesOf(model, target);
  const gone = { provider: { id: provider, baseUrl: "" }, model: name, pricedAs: `${provider}/${name}` };
  return book.pricesOf({ id, pricedAs: model?.pricedAs ?? id }, gone);
}

async function termsOf(accounts: Accounts, { accountId, heldMicrousd }: UsageRecord): Promise<ChargeTerms> {
  const { markupBasisPoints, mode } = await accounts.find(accountId);
  // An unlimited account holds nothing unless it has a hard budget.
  const isUnheld = mode === "unlimited" && heldMicrousd === 0;
  return { markupBasisPoints, heldMicrousd: isUnheld ? null : heldMicrousd };
}
