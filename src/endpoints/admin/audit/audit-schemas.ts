import { z } from "zod";
import { auditStatuses } from "../../../audits/audit-run.ts";
import { actorObject } from "./change-schemas.ts";
import { pageLimit } from "../input/page.ts";

const auditId = /^aud_[0-9a-z]{26}$/;

export const auditListQuery = z.strictObject({
  limit: pageLimit,
  after: z
    .string()
    .regex(auditId, { error: "the next of the page before" })
    .optional()
    .meta({ description: "The `next` of the page before." }),
});

const seconds = z.int().meta({ description: "Unix seconds." });

/** An audit without what it found. */
export const auditObject = z.object({
  object: z.literal("audit"),
  id: z.string(),
  status: z.enum(auditStatuses).meta({ description: "`completed`: all was looked at, whatever was found." }),
  started_by: actorObject,
  started_at: seconds,
  ended_at: seconds.nullable(),
  progress: z.number().meta({ description: "From 0 to 1." }),
  findings: z.int().meta({ description: "How many there are." }),
  accounts: z.int().nullable().meta({ description: "How many were looked at; null unless it is completed." }),
  entries: z.int().nullable(),
  records: z.int().nullable(),
  error: z.string().nullable().meta({ description: "Why it failed." }),
});

const finding = z.object({
  kind: z.string(),
  subject: z.string().meta({ description: "The account, request, entry, budget or sum that does not agree." }),
  message: z.string(),
  concerns: z
    .object({ kind: z.enum(["request", "account", "budget"]), id: z.string() })
    .nullable()
    .meta({ description: "Where to look; null if that is not known." }),
});

/** An audit with the first 1,000 of its findings. */
export const fullAuditObject = auditObject.extend({ data: z.array(finding) });
