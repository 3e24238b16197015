import { charge, refundedCharge } from "../billing/charge.ts";
import { settledCharge } from "../billing/settled-charge.ts";
import type { FinishedJob } from "../dialects/exchange.ts";
import { measure } from "../metering/measure.ts";
import type { Services } from "./services.ts";

/**
 * Ends the pending record of the request that began a job: it is charged by what the provider reports, once. A job that
 * is unknown, or whose record is final, is left as it is.
 */
export async function finishJob(
  { recorder, catalog, prices, accounts }: Pick<Services, "recorder" | "catalog" | "prices" | "accounts">,
  keyId: string,
  job: FinishedJob,
): Promise<void> {
  const record = await recorder.find(keyId, job.id);
  if (record?.status !== "pending") return;
  const nothing = async () => ({});
  const usage = await measure(job.usage, { input: nothing, output: nothing });
  const { resolvedModel } = record.routing;
  const model = resolvedModel === null ? null : catalog.find(resolvedModel);
  const { markupBasisPoints } = await accounts.find(record.accountId);
  const heldMicrousd = record.heldMicrousd === 0 ? null : record.heldMicrousd;
  const billing =
    job.status === "succeeded"
      ? settledCharge(charge(usage, (model && prices.models[model.pricedAs]) ?? null, prices.version), {
          markupBasisPoints,
          heldMicrousd,
        })
      : refundedCharge(prices.version);
  const providerUsage = record.providerUsage && { ...record.providerUsage, rawFields: job.usage?.raw ?? {} };
  await recorder.commit({ ...record, status: job.status, usage, billing, providerUsage });
}
