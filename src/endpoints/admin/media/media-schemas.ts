import { z } from "zod";
import { pageLimit } from "../input/page.ts";

const after = z.string().max(200).optional().meta({ description: "The `next` of the page before." });
const yesOrNo = z.enum(["true", "false"], { error: "true or false" }).optional();

const account = z.string().max(64).optional().meta({ description: "Only those of this account." });

export const videoListQuery = z.strictObject({
  account,
  status: z
    .enum(["queued", "in_progress", "completed", "failed"], { error: "queued, in_progress, completed or failed" })
    .optional()
    .meta({ description: "Only jobs in this status." }),
  unpaid: yesOrNo.meta({ description: "Only jobs whose provider has a cost that no caller pays." }),
  limit: pageLimit,
  after,
});

export const fileListQuery = z.strictObject({
  account,
  purpose: z.string().max(64).optional().meta({ description: "Only files for this purpose." }),
  limit: pageLimit,
  after,
});

/** A file of any account, as operators see it. */
export const operatorFile = z.object({
  id: z.string(),
  object: z.literal("file"),
  account: z.string(),
  filename: z.string(),
  purpose: z.string(),
  content_type: z.string(),
  bytes: z.int(),
  created_at: z.int().meta({ description: "Unix seconds." }),
  expires_at: z.int().nullable(),
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
