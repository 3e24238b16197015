import { z } from "zod";
import { maxAmountMicrousd } from "../../../billing/accounts/account.ts";
import { budgetPeriods, budgetSubjects } from "../../../billing/budgets/budget.ts";
import { pageLimit } from "../input/page.ts";

const amount = `whole micro-USD from 0 to ${maxAmountMicrousd}`;
const each = `one of ${budgetSubjects.join(", ")}`;
const per = `one of ${budgetPeriods.join(", ")}`;
const oneTag = 'a name with its value, such as {"team": "search"}';
const percentages = "a list of whole percentages, such as [80, 95]";

const selector = (what: string, description: string) => z.string({ error: what }).nullish().meta({ description });

/** The body of `POST /api/admin/budgets`; `setBudget` checks more of it. */
export const newBudgetInput = z.strictObject(
  {
    key: selector("the id of a key", "Only requests of this key."),
    account: selector("the id of an account", "Only requests of this account's keys."),
    model: selector("the name of a model", "Only requests that ask for this name, or that this model serves."),
    tag: z
      .record(z.string(), z.string({ error: "a text" }), { error: oneTag })
      .refine((tags) => Object.keys(tags).length === 1, { error: oneTag })
      .nullish()
      .meta({ description: "Only requests with this tag: one name with its value." }),
    end_user: selector("a text", "Only requests for this end user."),
    session: selector("a text", "Only requests of this session."),
    each: z
      .enum(budgetSubjects, { error: each })
      .nullish()
      .meta({ description: "The amount is for each of these, rather than for all together." }),
    amount_microusd: z
      .int({ error: amount })
      .min(0, { error: amount })
      .max(maxAmountMicrousd, { error: amount })
      .meta({ description: "Whole micro-USD. 0 blocks everything." }),
    per: z.enum(budgetPeriods, { error: per }).meta({ description: "How long it lasts." }),
    time_zone: z
      .string({ error: "the name of a time zone" })
      .optional()
      .meta({ description: "Whose calendar days, weeks and months are of. `UTC` unless told." }),
    kind: z
      .enum(["hard", "soft"], { error: "hard or soft" })
      .optional()
      .meta({ description: "`hard` unless told: requests that it does not cover are refused. `soft` only warns." }),
    notify: z
      .array(z.int({ error: percentages }), { error: percentages })
      .optional()
      .meta({ description: "Percentages at which an event is written; 100 is always one of them." }),
  },
  { error: "an object" },
);

export const budgetListQuery = z.strictObject({
  limit: pageLimit,
  after: z.string().optional().meta({ description: "The `next` of the page before." }),
});

const spent = z.int().nullable().meta({ description: "Null if each end user, session or key has its own." });

/** A budget as operators see it. */
export const budgetObject = z.object({
  object: z.literal("budget"),
  id: z.string(),
  scope: z
    .object({
      account: z.string().optional(),
      key: z.string().optional(),
      model: z.string().optional(),
      tag: z.record(z.string(), z.string()).optional(),
      end_user: z.string().optional(),
      session: z.string().optional(),
      each: z.enum(budgetSubjects).optional(),
    })
    .meta({ description: "The requests that it concerns: those that match all of this." }),
  amount_microusd: z.int(),
  spent_microusd: spent,
  held_microusd: spent,
  per: z.enum(budgetPeriods),
  time_zone: z.string(),
  kind: z.enum(["hard", "soft"]),
  notify: z.array(z.int()),
  resets_at: z.int().nullable().meta({ description: "Unix seconds; null if never." }),
  created_at: z.int().meta({ description: "Unix seconds." }),
  replaced: z
    .string()
    .nullable()
    .optional()
    .meta({ description: "Once it is set: the id of the budget that it has replaced, null if none." }),
});

export const deletedBudgetObject = z.object({
  id: z.string(),
  object: z.literal("budget"),
  deleted: z.literal(true),
});

/** A budget as callers see those that concern them. */
export const budgetStateObject = budgetObject.pick({
  id: true,
  scope: true,
  amount_microusd: true,
  spent_microusd: true,
  held_microusd: true,
  per: true,
  kind: true,
  resets_at: true,
});
