import { z } from "zod";
import { maxAmountMicrousd } from "../../../billing/accounts/account.ts";
import { pageLimit } from "../input/page.ts";

const shortText = (what: string) => {
  const error = `${what} of 1 to 200 characters without control characters`;
  return z.string({ error }).regex(/^(?=.*\S)[^\p{C}]{1,200}$/u, { error });
};

const accountIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const accountId = z
  .string({ error: "the id of an account" })
  .regex(accountIdPattern, {
    error: "1 to 64 letters, digits, dots, dashes and underscores, the first a letter or a digit",
  })
  .meta({ description: "1 to 64 letters, digits, dots, dashes and underscores." });

const mode = z.enum(["unlimited", "prepaid"], { error: "unlimited or prepaid" });

const markup = "a number from -100 to 10000 with at most 2 decimals";

/** The body of `POST /api/admin/accounts`. */
export const newAccountInput = z.strictObject(
  {
    id: accountId,
    name: shortText("a name").optional().meta({ description: "The id unless told." }),
    mode: mode.optional().meta({ description: "`unlimited` unless told." }),
    markup_percent: z
      .number({ error: markup })
      .min(-100, { error: markup })
      .max(10_000, { error: markup })
      .refine((percent) => Number(percent.toFixed(2)) === percent, { error: markup })
      .optional()
      .meta({ description: "Added to every charge as a line of its own; may be negative." }),
  },
  { error: "an object" },
);

const amount = `whole micro-USD from 1 to ${maxAmountMicrousd}`;

/** The body of `POST /api/admin/accounts/{id}/entries`. */
export const newEntryInput = z.strictObject(
  {
    kind: z
      .enum(["credit", "debit"], { error: "credit or debit" })
      .meta({ description: "A debit is written into the ledger as an `adjustment`." }),
    amount_microusd: z.int({ error: amount }).min(1, { error: amount }).max(maxAmountMicrousd, { error: amount }),
    idempotency_key: shortText("a text")
      .nullish()
      .meta({ description: "The amount is booked once, however often it is sent with this key." }),
    note: shortText("a text").nullish().meta({ description: "What it is for, kept in the ledger." }),
  },
  { error: "an object" },
);

const tagName = z.string({ error: "the name of a tag" });

/** The body of `PUT /api/admin/accounts/{id}/tags`. */
export const tagPolicyInput = z
  .strictObject(
    {
      required: z
        .array(tagName, { error: "a list of names of tags" })
        .optional()
        .meta({ description: "Tags that every request must have." }),
      allowed: z
        .record(tagName, z.array(z.string({ error: "a value" }), { error: "a list of values" }), {
          error: 'lists of values by the name of the tag, such as {"env": ["prod", "dev"]}',
        })
        .optional()
        .meta({ description: "The only values that these tags may have." }),
    },
    { error: "an object" },
  )
  .transform(({ required = [], allowed = {} }) => ({ required, allowed }));

/** What the tags of an account's requests have to be. */
export const tagPolicyObject = z.object({
  required: z.array(z.string()),
  allowed: z.record(z.string(), z.array(z.string())),
});

const cursor = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern, { error: "the next of the page before" })
    .optional()
    .meta({ description: "The `next` of the page before." });

export const accountListQuery = z.strictObject({ limit: pageLimit, after: cursor(accountIdPattern) });
export const entryListQuery = z.strictObject({ limit: pageLimit, after: cursor(/^ent_[0-9a-z]{26}_\d$/) });

const microusd = z.int().meta({ description: "Whole micro-USD." });
const seconds = z.int().meta({ description: "Unix seconds." });

/** An account as it is shown. */
export const accountObject = z.object({
  object: z.literal("account"),
  id: z.string(),
  name: z.string(),
  mode,
  markup_percent: z.number(),
  currency: z.literal("USD"),
  balance_microusd: microusd,
  held_microusd: microusd,
  available_microusd: microusd,
  leased_microusd: microusd,
  created_at: seconds,
});

/** An entry of a ledger as it is shown. */
export const entryObject = z.object({
  object: z.literal("ledger_entry"),
  id: z.string(),
  kind: z.enum(["credit", "hold", "charge", "release", "refund", "adjustment"]),
  amount_microusd: microusd,
  account: z.string(),
  request_id: z.string().nullable(),
  pricing_version: z.int().nullable(),
  created_at: seconds,
  idempotency_key: z.string().nullable(),
  note: z.string().nullable(),
});

/** An entry that was booked, or had been booked before. */
export const postedEntryObject = entryObject.extend({ repeated: z.boolean(), balance_microusd: microusd });
