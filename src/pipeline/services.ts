import type { TagPolicies, TagPolicyStore } from "../attribution/tag-policies.ts";
import type { IpRanges } from "../access/ip-range.ts";
import type { Limiter } from "../access/limits.ts";
import type { KeyStore } from "../access/key.ts";
import type { RefusalLimit } from "../access/refusal-limit.ts";
import type { Audits } from "../audits/audits.ts";
import type { AccountStore } from "../billing/accounts/account-store.ts";
import type { Accounts } from "../billing/accounts/accounts.ts";
import type { BudgetStore } from "../billing/budgets/budget-store.ts";
import type { Budgets } from "../billing/budgets/budgets.ts";
import type { Holds } from "../billing/holds/holds.ts";
import type { PriceFormat } from "../billing/prices/import/price-formats.ts";
import type { PriceMapReading } from "../billing/prices/import/read-price-map.ts";
import type { PriceListStore } from "../billing/price-lists/price-list-store.ts";
import type { PricesInForce } from "../billing/price-lists/prices-in-force.ts";
import type { ChangeStore } from "../changes/change.ts";
import type { Scratch } from "../blobs/scratch.ts";
import type { BodyLog } from "../bodies/body-log.ts";
import type { BodyStore } from "../bodies/body-store.ts";
import type { Clock } from "../clock.ts";
import type { Console } from "../console/console.ts";
import type { Files } from "../files/files.ts";
import type { Links } from "../files/links.ts";
import type { Log } from "../log.ts";
import type { MediaTools } from "../operations/images/media-tools.ts";
import type { Idempotency } from "../idempotency/idempotency.ts";
import type { Recorder } from "../records/recorder/recorder.ts";
import type { Responses } from "../responses/responses.ts";
import type { Catalog } from "../routing/names/catalog.ts";
import type { Routes } from "../routing/stored/routes.ts";
import type { SearchCache } from "../search/cache/search-cache.ts";
import type { Backends } from "../routing/names/backends.ts";
import type { StoredCatalog } from "../routing/stored-catalog/stored-catalog.ts";
import type { SearchBackends } from "../routing/stored-backends/stored-backends.ts";
import type { Names } from "../routing/names/names.ts";
import type { Dialects } from "../dialects/dialect.ts";
import type { CallTools } from "../upstream/call.ts";
import type { Channels } from "../upstream/channel.ts";
import type { Deadlines } from "../upstream/deadlines.ts";
import type { FetchMedia } from "../upstream/fetch-media.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { UsageStore } from "../usage/usage-store.ts";
import type { AnswerMemory } from "./capacity/answer-memory.ts";
import type { Capacity } from "./capacity/capacity.ts";
import type { InFlight } from "./in-flight.ts";
import type { VideoService } from "./videos/video-service.ts";

/** Bounds of a request's body. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Of one file of a form. */
  readonly maxFileBytes: number;
  /** All of the body must have arrived by then; of a form, more time for each piece that has. */
  readonly bodyTimeoutMs: number;
}

/** What operators see and change, beside keys and routes. */
export interface ManagedStores {
  readonly accounts: AccountStore;
  readonly budgets: BudgetStore;
  readonly tagPolicies: TagPolicyStore;
  /** The events for webhooks. */
  readonly outbox: Outbox;
  /** Puts tag policies in force here at once, rather than within a second. */
  readonly refreshTagPolicies: () => Promise<void>;
  readonly audits: Audits;
  readonly bodies: BodyStore;
  /** The audit trail. */
  readonly changes: ChangeStore;
  readonly prices: PriceListStore;
  /** Puts the newest version of the price list in force here, rather than within a second. */
  readonly refreshPrices: () => Promise<void>;
  /** Reads a price file. @throws PriceFileError */
  readonly readPrices: (text: string, format: PriceFormat) => Promise<PriceMapReading>;
}

/** The services that the path of a request uses, made once at start. */
export interface Services {
  /** The time of day, for logs and records. */
  readonly clock: Clock;
  /** Time that never steps back or jumps: for durations, limits and waits. */
  readonly steady: Clock;
  readonly deadlines: Deadlines;
  readonly dialects: Dialects;
  readonly callTools: CallTools;
  readonly channels: Channels;
  readonly log: Log;
  readonly keys: KeyStore;
  readonly limits: Limiter;
  /** Proxies whose `X-Forwarded-For` tells the address of a caller. Null: none. */
  readonly trustedProxies: IpRanges | null;
  readonly refusals: RefusalLimit;
  readonly catalog: Catalog;
  /** For operators, who may change the stored ones. */
  readonly routes: Routes;
  /** The destination of each name that callers may use. */
  readonly names: Names;
  /** The search backends that callers may name. */
  readonly backends: Backends;
  /** The same for operators, who may change the stored ones. */
  readonly storedCatalog: StoredCatalog;
  readonly searchBackends: SearchBackends;
  /** Null: no answers to searches are kept. */
  readonly searchCache: SearchCache | null;
  /** From 0 to below 1; a test may script it. */
  readonly random: () => number;
  readonly prices: PricesInForce;
  /** Whether a request to a model without a price is refused. */
  readonly refusesUnpriced: boolean;
  readonly accounts: Accounts;
  /** The holds of requests on prepaid balances. */
  readonly holds: Holds;
  /** A request that would need a lower output limit than this is refused instead. */
  readonly minimumOutputTokens: number;
  readonly budgets: Budgets;
  readonly recorder: Recorder;
  /** What the tags of an account's requests have to be. */
  readonly tagPolicies: TagPolicies;
  readonly managed: ManagedStores;
  /** Keeps the bodies of requests, for accounts that want it. */
  readonly bodyLog: BodyLog;
  /** Lists records and adds them up, from the storage alone. */
  readonly usage: UsageStore;
  readonly idempotency: Idempotency;
  /** Answers that callers may continue and ask for again. */
  readonly responses: Responses;
  /** Whether the storage itself answers right now. */
  readonly storageAnswers: () => Promise<boolean>;
  /** Callers do not see which provider served them. */
  readonly hideProvider: boolean;
  /** Origins whose pages may call; `*` stands for any. */
  readonly corsOrigins: readonly string[];
  /** Fetches the URLs in callers' requests, if a provider cannot. */
  readonly fetchMedia: FetchMedia;
  /** For large files of forms. */
  readonly scratch: Scratch;
  readonly files: Files;
  readonly media: MediaTools;
  /** Reads what the links of `media` lead to. */
  readonly links: Links;
  readonly videos: VideoService;
  readonly inFlight: InFlight;
  readonly capacity: Capacity;
  readonly answerMemory: AnswerMemory;
  /** Null: there is no console. */
  readonly console: Console | null;
  readonly bodyLimits: BodyLimits;
  /** How long a provider may be silent within a stream before the gateway speaks. */
  readonly keepAliveMs: number;
}
