/** What the databases write differently. */
interface SqlWords {
  /** The function that finds a text in another one. */
  readonly search: string;
  /** The model that has served a request: it has no column, since only budgets of a model ask for it. */
  readonly servedBy: string;
}

const words = {
  sqlite: { search: "instr", servedBy: "json_extract(requests.body, '$[10]')" },
  postgres: { search: "strpos", servedBy: "requests.body::json->>10" },
} as const satisfies Record<string, SqlWords>;

type StorageKind = keyof typeof words;

/** The requests that a budget concerns. */
const concerns = ({
  search,
  servedBy,
}: SqlWords) => `(budgets.account_id is null or budgets.account_id = requests.account_id)
    and (budgets.key_id is null or budgets.key_id = requests.key_id)
    and (budgets.model is null or budgets.model = requests.model or budgets.model = ${servedBy})
    and (budgets.end_user is null or budgets.end_user = requests.end_user)
    and (budgets.session is null or budgets.session = requests.session)
    and (budgets.tag is null or ${search}(requests.tags, budgets.tag) > 0)`;

/** Whose counter a request belongs to; null if the budget is set for each of something that the request does not name. */
const subject = `case budgets.each_of when 'end_user' then requests.end_user when 'session' then requests.session
    when 'key' then requests.key_id else '' end`;

/** Each request with the counters that it belongs to. */
const counted = (kind: StorageKind) => `requests join budgets on ${concerns(words[kind])}
    join budget_periods on budget_periods.budget_id = budgets.id
      and requests.created_at >= budget_periods.starts_at and requests.created_at < budget_periods.ends_at`;

/** Adds charges to their counters. @param added the rows of the ledger that are new */
export const countCharge = (kind: StorageKind, added: string): string => `
  insert into budget_counters (budget_id, starts_at, subject, spent_microusd, held_microusd)
    select budgets.id, budget_periods.starts_at, ${subject}, sum(-added.amount_microusd), 0
    from ${added}, ${counted(kind)}
    where requests.id = added.request_id and added.kind = 'charge' and added.amount_microusd <> 0 and ${subject} is not null
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (budget_id, starts_at, subject)
      do update set spent_microusd = budget_counters.spent_microusd + excluded.spent_microusd`;

/** Counts what the requests of a new period have cost already. Parameters: budget, start. */
export const countBefore = (kind: StorageKind): string => `
  insert into budget_counters (budget_id, starts_at, subject, spent_microusd, held_microusd)
    select budgets.id, budget_periods.starts_at, ${subject}, sum(requests.amount_microusd), 0
    from ${counted(kind)}
    where budgets.id = $1 and budget_periods.starts_at = $2
      and requests.amount_microusd <> 0 and requests.status <> 'pending' and ${subject} is not null
    group by 1, 2, 3
    on conflict (budget_id, starts_at, subject)
      do update set spent_microusd = budget_counters.spent_microusd + excluded.spent_microusd`;

/** The time of the newest request: periods that begin after it have nothing to count yet. Ids sort by time. */
export const newestRequestTime = "select created_at from requests order by id desc limit 1";

/** What every counter comes to by the records: to be compared with the counters. */
export const recountAll = (kind: StorageKind): string => `
  select budgets.id as budget_id, budget_periods.starts_at, ${subject} as subject,
      cast(sum(requests.amount_microusd) as bigint) as spent
    from ${counted(kind)}
    where requests.amount_microusd <> 0 and requests.status <> 'pending' and ${subject} is not null
    group by 1, 2, 3`;

/**
 * The id of the event of a threshold, from the counter's row `new`: the same crossing always has the same.
 * @param subject as text for a header
 */
export const thresholdId = (subject: string): string =>
  `'evt_' || new.budget_id || '_' || new.starts_at || '_' || percent || '_' || ${subject}`;

/** The payload of such an event: names, and values as SQL. */
export const payloadFields = {
  budget: "new.budget_id",
  percent: "percent",
  amount_microusd: "amount_microusd",
  spent_microusd: "new.spent_microusd",
  per: "per",
  kind: "kind",
  each: "each_of",
  subject: "new.subject",
  starts_at: "new.starts_at",
  ends_at: "ends_at",
} as const;

/** Holds of a counter if there is room. Parameters: budget, start, subject, amount, limit. */
export const holdOfCounter = `insert into budget_counters (budget_id, starts_at, subject, spent_microusd, held_microusd)
    select id, cast($2 as bigint), cast($3 as text), 0, cast($4 as bigint) from budgets where id = $1
    on conflict (budget_id, starts_at, subject)
      do update set held_microusd = budget_counters.held_microusd + excluded.held_microusd
      where budget_counters.spent_microusd + budget_counters.held_microusd + excluded.held_microusd <= $5
    returning budget_id`;
