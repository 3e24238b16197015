import { charge, pendingCharge, refundedCharge } from "../../src/billing/charge.ts";
import { buildPrices } from "../../src/billing/prices/build-prices.ts";
import { type Attribution, unattributed } from "../../src/attribution/attribution.ts";
import { listDimensions } from "../../src/dimensions.ts";
import { newRequestId } from "../../src/identifiers.ts";
import { exampleRecord } from "../../src/records/example-record.testkit.ts";
import type { RecordStatus, UsageRecord } from "../../src/records/record.ts";

/** Records of 40 days: those of October 2026, and nine after them. */
export const firstInstant = Date.parse("2026-10-01T00:00:00Z");
export const month = { from: firstInstant, to: Date.parse("2026-11-01T00:00:00Z") };
const spanMs = 40 * 86_400_000;

/** Of the last account the balance is prepaid. */
export const accountIds = ["default", "team-a", "team-b"] as const;
export const prepaidAccountId = "team-b";

const model = (id: string, family: string, endpoint: string, input: number, output: number) => {
  return { id, family, endpoint, prices: buildPrices({ input, cache_read: input / 10, output }) };
};
const common = [
  model("gpt-5-mini", "openai-chat", "/v1/chat/completions", 250_000, 2_000_000),
  model("gpt-5", "openai-chat", "/v1/chat/completions", 1_250_000, 10_000_000),
  model("o-large", "openai-responses", "/v1/responses", 2_000_000, 8_000_000),
  model("claude-sonnet", "anthropic-messages", "/v1/messages", 3_000_000, 15_000_000),
  model("claude-haiku", "anthropic-messages", "/v1/messages", 1_000_000, 5_000_000),
  model("gemini-flash", "gemini", "/v1beta/models/gemini-flash:generateContent", 300_000, 2_500_000),
  model("gemini-pro", "gemini", "/v1beta/models/gemini-pro:generateContent", 1_250_000, 10_000_000),
] as const;
/** One of 10,000 requests asks for it. */
const rare = model("rare", "openai-chat", "/v1/chat/completions", 100_000, 400_000);

const teams = 5;
export const endUsers = 1_000;
const environments = ["dev", "prod"] as const;
const pricingVersion = 3;

export function keyOf(place: number): string {
  return `bench${String(place).padStart(5, "0")}`;
}

export function accountOf(key: number): (typeof accountIds)[number] {
  return key % 10 < 6 ? "default" : key % 10 < 8 ? "team-a" : prepaidAccountId;
}

/** A number that is as good as random and always the same for a record. */
function scatter(place: number, salt: number): number {
  let mixed = Math.imul(place ^ (place >>> 15) ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function statusOf(place: number): RecordStatus {
  if (place % 100_000 === 99_999) return "pending";
  const of = scatter(place, 1) % 200;
  return of < 6 ? "failed" : of < 8 ? "cancelled" : of < 10 ? "refused" : "succeeded";
}

/** Mostly one to five seconds; of 5,000 requests one takes half a minute to a minute, and of a million one two minutes. */
function latencyOf(place: number): number {
  const shares = [9, 10, 11].map((salt) => scatter(place, salt) / 2 ** 32);
  const [share = 0] = shares;
  const rare = scatter(place, 12) % 1_000_000;
  if (rare === 0) return 120_000;
  if (rare < 200) return 30_000 + Math.floor(share * 30_000);
  return Math.round(2_000 * Math.exp(shares.reduce((sum, each) => sum + each, -1.5) * 1.4));
}

/** A quarter of the requests are tagged and name their user, a tenth are of sessions of some twenty requests. */
function attributionOf(place: number, count: number, key: number): Attribution {
  const user = scatter(place, 2);
  const session = scatter(place, 3);
  if (user % 4 !== 0 && session % 10 !== 0) return unattributed;
  const isTagged = user % 4 === 0;
  const group = Math.floor((place / count) * Math.max(1, count / 2_000));
  return {
    tags: isTagged ? `{"env":"${environments[(user >>> 2) & 1]}","team":"t${(user >>> 3) % teams}"}` : null,
    endUser: isTagged ? `user-${(user >>> 8) % endUsers}` : null,
    session: session % 10 === 0 ? `session-${key}-${group}` : null,
  };
}

/** The record at a place of so many, ordered by time. The same each time, but for the random part of its id. */
export function makeRecord(place: number, count: number, keys: number): UsageRecord {
  const createdAt = firstInstant + Math.floor((place / count) * spanMs);
  const made = scatter(place, 4) % 10_000 === 0 ? rare : (common[scatter(place, 5) % common.length] ?? rare);
  const key = scatter(place, 6) % keys;
  const status = statusOf(place);
  const accountId = accountOf(key);
  const example = exampleRecord({ id: newRequestId(createdAt), createdAt });
  const provider = status === "refused" ? null : scatter(place, 7) % 8 === 0 ? "second" : "first";
  const hasUsage = status === "succeeded" || status === "cancelled";
  const size = scatter(place, 8);
  const quantities = { input: 200 + (size % 4_000), cache_read: size % 3 === 0 ? 1_024 : 0, output: 1 + (size % 997) };
  const dimensions = hasUsage ? listDimensions(quantities).filter(({ quantity }) => quantity > 0) : [];
  const measurement = hasUsage ? example.usage.measurement : ({ input: "unavailable", output: "unavailable" } as const);
  const usage = { dimensions, measurement };
  const billing = hasUsage
    ? charge(usage, made.prices, pricingVersion)
    : status === "pending"
      ? pendingCharge(pricingVersion)
      : refundedCharge(pricingVersion);
  const latencyMs = provider === null ? 2 : latencyOf(place);
  const isHeld = accountId === prepaidAccountId && status !== "refused";
  return {
    ...example,
    responseId: hasUsage ? `chatcmpl-${place}` : null,
    keyId: keyOf(key),
    accountId,
    heldMicrousd: isHeld ? billing.amountMicrousd + 1_000 : 0,
    model: made.id,
    endpoint: made.endpoint,
    status,
    error: status === "failed" || status === "refused" ? { type: "server_error", code: "provider_error" } : null,
    usage,
    billing,
    routing: {
      ...example.routing,
      resolvedModel: made.id,
      provider,
      latencyMs,
      timeToFirstByteMs: Math.round(latencyMs / 3),
      attempts: provider === null ? 0 : 1,
    },
    attempts:
      provider === null
        ? []
        : example.attempts.map((attempt) => ({ ...attempt, provider, costMicrousd: billing.amountMicrousd })),
    providerUsage: hasUsage
      ? {
          family: made.family,
          rawFields: {
            prompt_tokens: quantities.input + quantities.cache_read,
            completion_tokens: quantities.output,
            prompt_tokens_details: { cached_tokens: quantities.cache_read },
          },
        }
      : null,
    attribution: attributionOf(place, count, key),
  };
}
