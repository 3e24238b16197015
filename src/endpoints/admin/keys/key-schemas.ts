import { z } from "zod";
import { allowedIpRange, maxIpRanges, readIpRange } from "../../../access/ip-range.ts";
import { keyStatuses } from "../../../access/key-view.ts";
import { allowedDuration, parseDuration } from "../../../config/values/duration.ts";
import { endpointNames } from "../../../dialects/registry.ts";
import { allowedKeyDomain, readKeyDomain } from "../../../search/domains/key-domain.ts";
import { actorObject } from "../audit/change-schemas.ts";
import { pageLimit } from "../input/page.ts";

const maxModels = 1_000;
const maxDomains = 1_000;

const name = z
  .string({ error: "a text" })
  .regex(/^(?=.*\S)[^\p{C}]{1,100}$/u, { error: "1 to 100 characters without control characters" });

const models = z
  .array(
    z.string({ error: "the name of a model" }).regex(/^[^\s*\p{C}]{1,200}(\/\*)?$/u, {
      error: "the name of a model, or prefix/* for all models below a prefix",
    }),
    { error: "a list of names of models, or null for all" },
  )
  .max(maxModels, { error: `at most ${maxModels} names` })
  .nullable()
  .meta({ description: "The models that the key may use: names, or `prefix/*`. Null means all." });

const oneEndpoint = `one of ${endpointNames.join(", ")}`;

const endpoints = z
  .array(z.enum(endpointNames, { error: oneEndpoint }), { error: "a list of names of endpoints, or null for all" })
  .max(endpointNames.length, { error: `at most ${endpointNames.length} names` })
  .nullable()
  .meta({ description: "The endpoints that the key may use. Null means all." });

const domains = z
  .array(
    z.string({ error: allowedKeyDomain }).transform((text, context) => {
      const domain = readKeyDomain(text);
      if (domain !== null) return domain;
      context.addIssue({ code: "custom", message: allowedKeyDomain });
      return z.NEVER;
    }),
    { error: "a list of domains, or null for all" },
  )
  .min(1, { error: "at least one domain, or null for all" })
  .max(maxDomains, { error: `at most ${maxDomains} domains` })
  .nullable()
  .meta({ description: "The domains that searches may return results of, each with all below it. Null means all." });

const ipRanges = z
  .array(
    z.string({ error: allowedIpRange }).transform((text, context) => {
      const range = readIpRange(text);
      if (range !== null) return range;
      context.addIssue({ code: "custom", message: allowedIpRange });
      return z.NEVER;
    }),
    { error: "a list of IP ranges, or null for all" },
  )
  .min(1, { error: "at least one range, or null for all" })
  .max(maxIpRanges, { error: `at most ${maxIpRanges} ranges` })
  .nullable()
  .meta({ description: "The addresses that the key may be used from, such as `192.0.2.0/24`. Null means all." });

const wholeNumber = { error: "a whole number of at least 1, or null for no limit" };
const limit = z.int(wholeNumber).min(1, wholeNumber).max(Number.MAX_SAFE_INTEGER, wholeNumber).nullable();

const limits = z
  .strictObject(
    {
      requests_per_minute: limit.optional(),
      tokens_per_minute: limit.optional(),
      concurrent_requests: limit.optional(),
    },
    { error: "an object of limits" },
  )
  .meta({ description: "Null means no limit." });

const tags = z
  .record(z.string(), z.string({ error: "a text" }), { error: 'an object of texts, such as {"team": "search"}' })
  .meta({ description: "Fixed tags of the key's requests, which callers cannot overwrite." });

const latest = 253_402_300_799;
const time = { error: "a time as Unix seconds or RFC 3339, or null for never" };
const expiresAt = z
  .union([z.int(time).min(0, time).max(latest, time), z.iso.datetime({ offset: true, ...time })], time)
  .nullable()
  .meta({ description: "Unix seconds or RFC 3339; null for never." });

const flag = z.boolean({ error: "true or false" });

/** The body of `POST /api/admin/keys`. */
export const newKeyInput = z.strictObject(
  {
    name,
    models: models.optional(),
    endpoints: endpoints.optional(),
    domains: domains.optional(),
    ip_ranges: ipRanges.optional(),
    limits: limits.optional(),
    tags: tags.optional(),
    expires_at: expiresAt.optional(),
    admin: flag.optional().meta({ description: "Whether the key may use `/api/admin`." }),
    account: z
      .string({ error: "the id of an account" })
      .optional()
      .meta({ description: "The account that its requests are charged to; `default` unless told." }),
  },
  { error: "an object" },
);

/** The body of `PATCH /api/admin/keys/{id}`. What is absent stays as it is. */
export const keyChangeInput = z.strictObject(
  {
    ...newKeyInput.omit({ account: true }).shape,
    name: name.optional(),
    disabled: flag.optional().meta({ description: "True takes the key out of use, false puts it back." }),
  },
  { error: "an object" },
);

/** The body of `POST /api/admin/keys/{id}/rotate`. */
export const rotationInput = z.strictObject(
  {
    overlap: z
      .string({ error: allowedDuration })
      .refine((text) => parseDuration(text) !== null, { error: allowedDuration })
      .transform((text) => parseDuration(text) ?? 0)
      .optional()
      .meta({ description: "How long the old secret stays valid, such as `1h`. Without it, it ends at once." }),
  },
  { error: "an object" },
);

export const keyListQuery = z.strictObject({
  limit: pageLimit,
  after: z.string().optional().meta({ description: "The `next` of the page before." }),
});

/** The query of `GET /api/admin/keys/{id}/access`. */
export const keyAccessQuery = z.strictObject({
  limit: pageLimit,
  after: z.string().optional().meta({ description: "The `next` of the page before." }),
});

const refusal = z.object({ code: z.string(), message: z.string() });

/** What a key can call, and why not the rest. */
export const keyAccessObject = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      id: z.string().meta({ description: "The name of a model or route." }),
      kind: z.enum(["model", "route"]),
      endpoints: z.array(z.object({ name: z.string(), allowed: z.boolean(), reason: refusal.optional() })),
    }),
  ),
  has_more: z.boolean(),
  next: z.string().nullable(),
  refusals: z.array(refusal).meta({ description: "What stands against every request of the key right now." }),
});

const seconds = z.int().meta({ description: "Unix seconds." });

/** A key as it is shown. */
export const keyObject = z.object({
  id: z.string(),
  name: z.string(),
  account: z.string(),
  status: z.enum(keyStatuses),
  admin: z.boolean(),
  models: z.array(z.string()).nullable(),
  endpoints: z.array(z.string()).nullable(),
  domains: z.array(z.string()).nullable(),
  ip_ranges: z.array(z.string()).nullable(),
  limits: z.object({
    requests_per_minute: z.int().nullable(),
    tokens_per_minute: z.int().nullable(),
    concurrent_requests: z.int().nullable(),
  }),
  tags: z.record(z.string(), z.string()),
  created_at: seconds,
  created_by: actorObject.nullable().meta({ description: "Null if it was made before there was an audit trail." }),
  expires_at: seconds.nullable(),
  disabled_at: seconds.nullable(),
  old_secret_expires_at: seconds.nullable(),
});

/** The same with its secret, which is shown once. */
export const issuedKeyObject = keyObject.extend({
  key: z.string().meta({ description: "The key itself. It is not shown again." }),
});
