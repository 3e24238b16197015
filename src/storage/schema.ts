import type { Generated } from "kysely";
import type { AuditRow } from "./audit-row.ts";
import type { BodyLogPolicyRow, BodyLogUsageRow, RequestBodiesRow } from "./body-rows.ts";
import type { CatalogEntryChangesRow, CatalogEntryRow } from "./catalog-row.ts";

/**
 * The tables, as Kysely sees them. Times are milliseconds since 1970, flags are 0 or 1, and lists are JSON text, so that
 * one schema and one set of queries serve SQLite and Postgres.
 */
export interface Tables {
  keys: KeyRow;
  price_tables: PriceTableRow;
  price_changes: PriceChangeRow;
  requests: RequestRow;
  request_responses: RequestResponseRow;
  write_probe: WriteProbeRow;
  responses: ResponseRow;
  response_items: ResponseItemRow;
  idempotency_keys: IdempotencyKeyRow;
  routes: RouteRow;
  route_changes: RouteChangesRow;
  accounts: AccountRow;
  ledger_entries: LedgerEntryRow;
  leases: LeaseRow;
  budgets: BudgetRow;
  budget_thresholds: BudgetThresholdRow;
  budget_periods: BudgetPeriodRow;
  budget_counters: BudgetCounterRow;
  budget_holds: BudgetHoldRow;
  budget_changes: BudgetChangesRow;
  changes: ChangeRow;
  outbox: OutboxRow;
  tag_policies: TagPolicyRow;
  search_backends: SearchBackendRow;
  search_backend_changes: SearchBackendChangesRow;
  catalog_entries: CatalogEntryRow;
  catalog_entry_changes: CatalogEntryChangesRow;
  files: FileRow;
  blobs: BlobRow;
  video_jobs: VideoJobRow;
  audits: AuditRow;
  body_log_policies: BodyLogPolicyRow;
  request_bodies: RequestBodiesRow;
  body_log_usage: BodyLogUsageRow;
  console_users: ConsoleUserRow;
  console_sessions: ConsoleSessionRow;
  console_identities: ConsoleIdentityRow;
  console_passkeys: ConsolePasskeyRow;
  console_verifications: ConsoleVerificationRow;
  console_links: ConsoleLinkRow;
  migrations: MigrationRow;
}

export interface MigrationRow {
  version: number;
  applied_at: number;
}

export interface KeyRow {
  id: string;
  name: string;
  secret_hash: string;
  previous_secret_hash: string | null;
  previous_expires_at: number | null;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  /** A JSON list of names; null means all. */
  scope_models: string | null;
  /** A JSON list of names; null means all. */
  scope_endpoints: string | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrent_requests: number | null;
  admin: number;
  account_id: string;
  /** The canonical text of its fixed tags; null if it has none. */
  tags: string | null;
  /** A JSON list of domains; null means all. */
  scope_domains: string | null;
  /** A JSON list of ranges of IP addresses; null means all. */
  scope_ip_ranges: string | null;
}

/** The prices of one source. Never changed. */
export interface PriceTableRow {
  id: string;
  /** JSON. */
  body: string;
  created_at: number;
}

/** What puts a version of the price list in force: the row with the highest sequence does. Never changed. */
export interface PriceChangeRow {
  sequence: number;
  version: number;
  /** Ids of tables. */
  configured: string | null;
  imported: string | null;
  bundled: string | null;
  author: string;
  note: string;
  created_at: number;
}

/**
 * One usage record. What lists and sums ask for has a column; the rest is one JSON text that only `expandRecord` reads.
 * `input_tokens` is everything read, whatever its price.
 */
export interface RequestRow {
  id: string;
  key_id: string;
  response_id: string | null;
  created_at: number;
  model: string;
  endpoint: string;
  status: string;
  amount_microusd: number;
  input_tokens: number;
  output_tokens: number;
  body: string;
  account_id: string;
  held_microusd: number;
  /** Canonical JSON; null if there are none. */
  tags: string | null;
  end_user: string | null;
  session: string | null;
  /** Empty if no provider was called. */
  provider: string;
  latency_ms: number;
}

/** Where a response id is found, on SQLite: see the migration. */
export interface RequestResponseRow {
  code: number;
  sequence: number;
}

/** The one row that is written to find out whether the storage can be written to. */
export interface WriteProbeRow {
  id: number;
  body: string;
}

/** One stored response. */
export interface ResponseRow {
  id: string;
  key_id: string;
  previous_id: string | null;
  root_id: string;
  created_at: number;
  provider: string;
  conversation_size: number;
  /** JSON. */
  input: string;
  /** JSON. */
  response: string;
}

/** Where an item of an output is found. */
export interface ResponseItemRow {
  key_id: string;
  response_id: string;
  item_id: string;
}

/** One claim of a request on an idempotency key of its API key. */
export interface IdempotencyKeyRow {
  key_id: string;
  idempotency_key: string;
  body_hash: string;
  request_id: string;
  created_at: number;
  lease_until: number;
  /** Null while the request runs. */
  status_code: number | null;
  content_type: string | null;
  /** Null where the answer is not kept. */
  body: string | null;
}

/** A route that is not in the configuration. */
export interface RouteRow {
  id: string;
  /** JSON of all but the id. */
  definition: string;
  updated_at: number;
}

/** The one row that counts the changes of \`routes\`. */
export interface RouteChangesRow {
  changes: number;
}

/** An account with its balance. Amounts are whole micro-USD. */
export interface AccountRow {
  id: string;
  name: string;
  mode: string;
  markup_basis_points: number;
  created_at: number;
  /** The sum of its entries without holds and releases. */
  balance_microusd: number;
  /** The sum of its holds and releases, with the sign changed. */
  held_microusd: number;
  /** The sum of its leases. */
  leased_microusd: number;
  /** Until then processes give back what they have on lease and do not need. */
  recalled_until: number;
}

/** One entry of the ledger: see `LedgerEntry`. */
export interface LedgerEntryRow {
  account_id: string;
  id: string;
  kind: string;
  amount_microusd: number;
  request_id: string | null;
  pricing_version: number | null;
  created_at: number;
  idempotency_key: string | null;
  note: string | null;
  /** Held before this charge and released after it. */
  held_microusd: number;
}

/** What one process has reserved of a prepaid balance. */
export interface LeaseRow {
  id: string;
  account_id: string;
  amount_microusd: number;
  /** What its requests hold of it, as its process last said. */
  held_microusd: number;
  /** When it said so. */
  reported_at: number;
  expires_at: number;
}

/** A budget: see `Budget`. */
export interface BudgetRow {
  id: string;
  account_id: string | null;
  key_id: string | null;
  model: string | null;
  /** As it stands in the canonical text of tags: `"team":"search"`. */
  tag: string | null;
  end_user: string | null;
  session: string | null;
  each_of: string | null;
  amount_microusd: number;
  per: string;
  time_zone: string;
  kind: string;
  created_at: number;
}

/** A percentage of a budget at which an event is written. */
export interface BudgetThresholdRow {
  budget_id: string;
  percent: number;
}

/** A period of a budget. Requests that began in it are counted. */
export interface BudgetPeriodRow {
  budget_id: string;
  starts_at: number;
  ends_at: number;
}

/** What was spent and is held of a budget in one period, for one subject. */
export interface BudgetCounterRow {
  budget_id: string;
  starts_at: number;
  subject: string;
  spent_microusd: number;
  /** The sum of its holds. */
  held_microusd: number;
}

/** What one request holds of a hard budget. */
export interface BudgetHoldRow {
  request_id: string;
  budget_id: string;
  starts_at: number;
  subject: string;
  amount_microusd: number;
  process: string;
  expires_at: number;
}

/** The one row that counts the changes of `budgets`. */
export interface BudgetChangesRow {
  changes: number;
}

/** One entry of the audit trail. Never changed. */
export interface ChangeRow {
  sequence: Generated<number>;
  created_at: number;
  /** As in `Actor`. */
  actor_kind: string;
  /** The id of a key or the name of a user; null if neither made the change. */
  actor: string | null;
  kind: string;
  subject_id: string;
  action: string;
  /** JSON. */
  state_before: string | null;
  /** JSON. */
  state_after: string | null;
}

/** An event that webhooks are told of. Written in the transaction that made it happen. */
export interface OutboxRow {
  id: string;
  kind: string;
  account_id: string;
  /** JSON. */
  payload: string;
  created_at: number;
  /** While a process delivers it, the time at which another one may; null if nothing more is tried. */
  next_attempt_at: number | null;
  /** Failed ones. */
  attempts: number;
  /** A JSON list of the keys of the webhooks that have it. */
  delivered_to: string;
  /** Null until all webhooks have it. */
  delivered_at: number | null;
}

/** What the tags of an account's requests have to be. */
export interface TagPolicyRow {
  account_id: string;
  /** JSON. */
  policy: string;
}

/** A search backend that is not in the configuration. */
export interface SearchBackendRow {
  id: string;
  /** JSON of all but the id and what is sealed. */
  fields: string;
  /** Sealed JSON; null if there are none. */
  sealed_api_keys: string | null;
  sealed_headers: string | null;
  updated_at: number;
}

/** The one row that counts the changes of `search_backends`. */
export interface SearchBackendChangesRow {
  changes: number;
}

/** An uploaded file: see `StoredFile`. */
export interface FileRow {
  id: string;
  account_id: string;
  created_at: number;
  expires_at: number | null;
  filename: string;
  purpose: string;
  bytes: number;
  content_type: string;
  blob_key: string;
}

/** A content that files share. */
export interface BlobRow {
  key: string;
  /** Null once it is given up and about to be removed. */
  sha256: string | null;
  /** Until then it is kept, though no file may have it. */
  claimed_until: number;
}

/** A film that is being made, or was: see `VideoJob`. */
export interface VideoJobRow {
  id: string;
  account_id: string;
  request_id: string;
  created_at: number;
  status: string;
  phase: string;
  next_at: number | null;
  version: number;
  provider: string;
  provider_job_id: string | null;
  blob_key: string | null;
  expires_at: number | null;
  ended_at: number | null;
  deleted_at: number | null;
  provider_cost_microusd: number | null;
  /** JSON. */
  facts: string;
  /** 1: a process is at work on it until `next_at`. */
  is_leased: number;
}

/** A user of the console. Times of this and the next four tables are ISO 8601 in UTC, as the library of sign-in writes them. */
export interface ConsoleUserRow {
  id: string;
  name: string;
  /** In lower case. */
  email: string;
  email_verified: number;
  image: string | null;
  role: string;
  /** The account of a member; null for others. */
  account_id: string | null;
  created_at: string;
  updated_at: string;
}

/** A session of a user. Its cookie holds the token and a signature, which no one can make from this row. */
export interface ConsoleSessionRow {
  id: string;
  token: string;
  user_id: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
  ip_address: string | null;
  user_agent: string | null;
}

/** A password, or an identity at an OIDC provider. */
export interface ConsoleIdentityRow {
  id: string;
  /** The id of the user for a password, else the provider's. */
  subject: string;
  /** `credential` for a password. */
  provider: string;
  user_id: string;
  /** An Argon2id hash. */
  password: string | null;
  /** Tokens are never kept. */
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | null;
  refresh_token_expires_at: string | null;
  scope: string | null;
  created_at: string;
  updated_at: string;
}

/** A passkey: its public half. */
export interface ConsolePasskeyRow {
  id: string;
  name: string | null;
  public_key: string;
  user_id: string;
  credential_id: string;
  counter: number;
  device_type: string;
  backed_up: number;
  transports: string | null;
  created_at: string | null;
  aaguid: string | null;
}

/** A challenge that waits for its answer. */
export interface ConsoleVerificationRow {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

/** A link that makes a user, or gives one a new password. Its times are milliseconds. */
export interface ConsoleLinkRow {
  /** SHA-256 of its token, in lower-case hex. */
  token_hash: string;
  kind: string;
  /** Null if the user chooses it. */
  email: string | null;
  name: string | null;
  role: string;
  account_id: string | null;
  /** The user whose password is lost; null if the link makes one. */
  user_id: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}
