import { z } from "zod";
import { bodyLogBounds as bounds, redactionPatterns } from "../../../bodies/body-log-policy.ts";
import { bodyOmissions } from "../../../bodies/kept-body.ts";
import { parseDuration } from "../../../config/values/duration.ts";

const rule = z.string({ error: "a text" });
const duration = "a duration from 1m to 365d, such as 12h or 7d";
const whole = (min: number, max: number) => {
  const error = `whole bytes from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const retention = z
  .string({ error: duration })
  .transform((text) => parseDuration(text) ?? 0)
  .refine((ms) => ms >= bounds.minRetentionMs && ms <= bounds.maxRetentionMs, { error: duration });

/** The body of `PATCH /api/admin/accounts/{id}/log-bodies`. */
export const bodyLogInput = z.strictObject(
  {
    enabled: z.boolean({ error: "true or false" }).nullish().meta({ description: "False unless told." }),
    redact: z
      .strictObject(
        {
          fields: z
            .array(rule, { error: "a list of names" })
            .nullish()
            .meta({ description: "Names of properties whose values are taken out, in any case and at any depth." }),
          paths: z
            .array(rule, { error: "a list of paths" })
            .nullish()
            .meta({ description: "Paths whose values are taken out, such as `messages[*].content`." }),
          patterns: z
            .array(z.enum(redactionPatterns, { error: `one of ${redactionPatterns.join(", ")}` }), {
              error: "a list of patterns",
            })
            .nullish()
            .meta({ description: "What is taken out of all texts; all of these unless told." }),
        },
        { error: "an object" },
      )
      .nullish(),
    retention: retention.nullish().meta({ description: "How long bodies are kept; `7d` unless told." }),
    max_body_bytes: whole(bounds.minBodyBytes, bounds.maxBodyBytes)
      .nullish()
      .meta({ description: "What is kept of each body; 262144 unless told." }),
    max_bytes: whole(bounds.minBytes, bounds.maxBytes).nullish().meta({
      description: "All that is kept of the account, beyond which the oldest are removed; 1 GiB unless told.",
    }),
  },
  { error: "an object" },
);

const bytes = z.int().meta({ description: "Bytes." });

/** Whether the bodies of an account's requests are kept, and how. */
export const bodyLogObject = z.object({
  object: z.literal("account.log_bodies"),
  account: z.string(),
  enabled: z.boolean(),
  redact: z.object({
    fields: z.array(z.string()),
    paths: z.array(z.string()),
    patterns: z.array(z.enum(redactionPatterns)),
  }),
  retention: z.string(),
  max_body_bytes: bytes,
  max_bytes: bytes,
  cleared_at: z.int().nullable().meta({ description: "When all were last deleted, in Unix seconds." }),
  kept: z.object({ requests: z.int(), bytes }),
});

const body = z.object({
  content_type: z.string().nullable(),
  bytes: bytes.meta({ description: "As it was sent." }),
  text: z
    .string()
    .nullable()
    .meta({ description: "After redaction; of a stream its events, pieces of one text joined." }),
  omitted: z.enum(bodyOmissions).nullable().meta({ description: "Why there is no text." }),
  truncated: z.boolean(),
  redactions: z.int().meta({ description: "How often something was taken out." }),
});

/** The bodies of a request. */
export const bodiesObject = z.object({
  object: z.literal("request.bodies"),
  id: z.string(),
  request: body,
  answer: body,
});

export const deletedBodiesObject = z.object({
  object: z.literal("request.bodies"),
  id: z.string().meta({ description: "The request or the account." }),
  deleted: z.literal(true),
});
