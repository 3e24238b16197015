import type { KeyStore } from "../access/key.ts";
import type { TagPolicyStore } from "../attribution/tag-policies.ts";
import type { AuditStore } from "../audits/audit-run.ts";
import type { AccountStore } from "../billing/accounts/account-store.ts";
import type { Auditor } from "../billing/audit.ts";
import type { BudgetStore } from "../billing/budgets/budget-store.ts";
import type { LeaseStore } from "../billing/holds/lease-store.ts";
import type { PriceListStore } from "../billing/price-lists/price-list-store.ts";
import type { BodyStore } from "../bodies/body-store.ts";
import type { ChangeStore } from "../changes/change.ts";
import type { Clock } from "../clock.ts";
import type { ConsoleStore } from "../console/console-store.ts";
import type { FileStore } from "../files/file-store.ts";
import type { IdempotencyStore } from "../idempotency/store.ts";
import type { RecordStore } from "../records/record-store.ts";
import type { ResponseStore } from "../responses/response-store.ts";
import type { RouteStore } from "../routing/stored/route-store.ts";
import type { CatalogStore } from "../routing/stored-catalog/catalog-store.ts";
import type { BackendStore } from "../routing/stored-backends/backend-store.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { UsageStore } from "../usage/usage-store.ts";
import type { VideoJobStore } from "../videos/video-job.ts";
import type { StorageKind } from "./migrations/migrations.ts";

/** Everything that is kept, behind one interface whichever database keeps it. */
export interface Storage {
  readonly kind: StorageKind;
  readonly keys: KeyStore;
  readonly records: RecordStore;
  readonly prices: PriceListStore;
  readonly responses: ResponseStore;
  readonly routes: RouteStore;
  readonly idempotency: IdempotencyStore;
  readonly changes: ChangeStore;
  readonly accounts: AccountStore;
  readonly leases: LeaseStore;
  readonly budgets: BudgetStore;
  readonly auditor: Auditor;
  readonly outbox: Outbox;
  readonly usage: UsageStore;
  readonly tagPolicies: TagPolicyStore;
  readonly searchBackends: BackendStore;
  readonly catalog: CatalogStore;
  readonly files: FileStore;
  readonly videoJobs: VideoJobStore;
  readonly console: ConsoleStore;
  readonly audits: AuditStore;
  readonly bodies: BodyStore;
  /** Rejects where the database does not answer. For `/readyz`. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Receives the storage's log lines. A pino logger fits. */
export interface StorageLog {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

export interface StorageSettings {
  readonly clock: Clock;
  readonly log: StorageLog;
}
