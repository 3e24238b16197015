import { z } from "zod";
import { pageLimit } from "./page.ts";

const after = z.string().max(200).optional().meta({ description: "The `next` of the page before." });
const yesOrNo = z.enum(["true", "false"], { error: "true or false" }).optional();

export const videoListQuery = z.strictObject({
  unpaid: yesOrNo.meta({ description: "Only jobs whose provider has a cost that no caller pays." }),
  limit: pageLimit,
  after,
});

export const eventListQuery = z.strictObject({
  undelivered: yesOrNo.meta({ description: "Only events that some webhook does not have." }),
  limit: pageLimit,
  after,
});

/** A video job as operators see it. */
export const operatorVideo = z.looseObject({
  id: z.string(),
  object: z.literal("video"),
  account: z.string(),
  request_id: z.string(),
  phase: z.string(),
  provider: z.string().nullable(),
  provider_job_id: z.string().nullable(),
  provider_cost_microusd: z.int().nullable(),
  is_deleted: z.boolean(),
});

/** An event for webhooks. */
export const eventObject = z.object({
  object: z.literal("event"),
  id: z.string(),
  type: z.string(),
  account: z.string(),
  created_at: z.int().meta({ description: "Unix seconds." }),
  failed_attempts: z.int(),
  next_attempt_at: z.int().nullable(),
  delivered_at: z.int().nullable(),
  data: z.unknown(),
});
