import { type Kysely, sql } from "kysely";
import {
  type Budget,
  type BudgetPeriod,
  budgetPeriods,
  type BudgetSubject,
  budgetSubjects,
  tagText,
} from "../../billing/budgets/budget.ts";
import type { BudgetStore, Counter } from "../../billing/budgets/budget-store.ts";
import type { BudgetCounterRow, BudgetRow, Tables } from "../schema.ts";

/** What a budget store reads, and the changes that are one statement. */
export function createBudgetQueries(
  db: Kysely<Tables>,
): Omit<BudgetStore, "set" | "remove" | "addPeriods" | "hold" | "reduce" | "end" | "renew" | "endExpired"> {
  /** Adds their thresholds to budgets. */
  async function complete(rows: readonly BudgetRow[]): Promise<Budget[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const all = db.selectFrom("budget_thresholds").selectAll();
    const thresholds = await (ids.length > maxNamed ? all : all.where("budget_id", "in", ids)).execute();
    const percents = Map.groupBy(thresholds, (threshold) => threshold.budget_id);
    return rows.map((row) => rowToBudget(row, percentsOf(percents.get(row.id) ?? [])));
  }

  return {
    async version() {
      return (await db.selectFrom("budget_changes").select("changes").executeTakeFirstOrThrow()).changes;
    },
    async list() {
      const rows = await db.selectFrom("budgets").selectAll().orderBy("created_at").orderBy("id").execute();
      return complete(rows);
    },
    async page({ limit, after }) {
      let query = db.selectFrom("budgets").selectAll();
      if (after !== null) {
        const place = sql`select created_at, id from budgets where id = ${after}`;
        query = query.where(sql<boolean>`(created_at, id) < (${place})`);
      }
      return complete(await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute());
    },
    async find(id) {
      const [found] = await complete(await db.selectFrom("budgets").selectAll().where("id", "=", id).execute());
      return found ?? null;
    },
    async counters(now) {
      const { rows } = await sql<BudgetCounterRow>`select budget_counters.* from budgets
        join budget_periods on budget_periods.budget_id = budgets.id
          and budget_periods.starts_at <= ${now} and ends_at > ${now}
        join budget_counters on budget_counters.budget_id = budgets.id
          and budget_counters.starts_at = budget_periods.starts_at
        where each_of is null or spent_microusd >= amount_microusd
        limit ${maxCounters}`.execute(db);
      return rows.map(rowToCounter);
    },
    async sharedCounters(budgetIds, now) {
      if (budgetIds.length === 0) return [];
      const rows = await db
        .selectFrom("budget_counters")
        .innerJoin("budget_periods", (join) =>
          join
            .onRef("budget_periods.budget_id", "=", "budget_counters.budget_id")
            .onRef("budget_periods.starts_at", "=", "budget_counters.starts_at"),
        )
        .selectAll("budget_counters")
        .where("budget_counters.budget_id", "in", budgetIds)
        .where("budget_counters.subject", "=", "")
        .where("budget_periods.starts_at", "<=", now)
        .where("budget_periods.ends_at", ">", now)
        .execute();
      return rows.map(rowToCounter);
    },
    async counter({ budgetId, startsAt, subject }) {
      const row = await db
        .selectFrom("budget_counters")
        .selectAll()
        .where("budget_id", "=", budgetId)
        .where("starts_at", "=", startsAt)
        .where("subject", "=", subject)
        .executeTakeFirst();
      return row ? rowToCounter(row) : { budgetId, startsAt, subject, spentMicrousd: 0, heldMicrousd: 0 };
    },
    async hasExpired(now) {
      const expired = db.selectFrom("budget_holds").select("request_id").where("expires_at", "<=", now).limit(1);
      return (await expired.executeTakeFirst()) !== undefined;
    },
    async keep(requestId) {
      await db
        .updateTable("budget_holds")
        .set({ expires_at: Number.MAX_SAFE_INTEGER })
        .where("request_id", "=", requestId)
        .execute();
    },
  };
}

/** Counters read at once: more end users than this that have spent their budgets are not warned of soft ones. */
const maxCounters = 100_000;

/** Budgets that one statement names: more than a page has. */
const maxNamed = 2_000;

export function budgetToRow(budget: Budget): BudgetRow {
  return {
    id: budget.id,
    account_id: budget.accountId,
    key_id: budget.keyId,
    model: budget.model,
    tag: budget.tag && tagText(budget.tag),
    end_user: budget.endUser,
    session: budget.session,
    each_of: budget.each,
    amount_microusd: budget.amountMicrousd,
    per: budget.per,
    time_zone: budget.timeZone,
    kind: budget.kind,
    created_at: budget.createdAt,
  };
}

/** Ascending. */
export function percentsOf(thresholds: readonly { readonly percent: number }[]): readonly number[] {
  return thresholds.map(({ percent }) => percent).toSorted((a, b) => a - b);
}

export function rowToBudget(row: BudgetRow, notify: readonly number[]): Budget {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    tag: textToTag(row.tag),
    endUser: row.end_user,
    session: row.session,
    each: budgetSubjects.find((each): each is BudgetSubject => each === row.each_of) ?? null,
    amountMicrousd: row.amount_microusd,
    per: budgetPeriods.find((each): each is BudgetPeriod => each === row.per) ?? "total",
    timeZone: row.time_zone,
    kind: row.kind === "soft" ? "soft" : "hard",
    notify,
    createdAt: row.created_at,
  };
}

function textToTag(text: string | null): Budget["tag"] {
  if (text === null) return null;
  // `tagText` wrote it.
  const [[name, value] = ["", ""]] = Object.entries(JSON.parse(`{${text}}`) as Record<string, string>);
  return { name, value };
}

export function rowToCounter(row: BudgetCounterRow): Counter {
  return {
    budgetId: row.budget_id,
    startsAt: row.starts_at,
    subject: row.subject,
    spentMicrousd: row.spent_microusd,
    heldMicrousd: row.held_microusd,
  };
}
