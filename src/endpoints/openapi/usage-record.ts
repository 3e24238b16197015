import { z } from "zod";
import type { NamedSchema } from "./description.ts";

const open = z.looseObject({});

/** A usage record as its caller sees it. */
export const usageRecord: NamedSchema = {
  name: "UsageRecord",
  schema: z.looseObject({
    object: z.literal("usage.request"),
    id: z.string(),
    created_at: z.int(),
    status: z.enum(["succeeded", "failed", "cancelled", "refused", "pending"]),
    model: z.string(),
    endpoint: z.string(),
    stream: z.boolean(),
    usage: open,
    billing: z.looseObject({
      currency: z.string(),
      amount_microusd: z.int(),
      pricing_version: z.int(),
      line_items: z.array(
        z.looseObject({
          dimension: z.string(),
          quantity: z.number(),
          unit_microusd: z.int(),
          amount_microusd: z.int(),
        }),
      ),
    }),
    routing: open.nullable(),
    provider_usage: open,
    attribution: z.object({
      tags: z.record(z.string(), z.string()),
      end_user: z.string().nullable(),
      session: z.string().nullable(),
    }),
    error: open.nullable(),
  }),
};
