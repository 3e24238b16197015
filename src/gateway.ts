import type { KeyStore } from "./access/key.ts";
import { compileIpRanges } from "./access/ip-range.ts";
import { createLimiter } from "./access/limits.ts";
import { createRefusalLimit } from "./access/refusal-limit.ts";
import { cacheKeys } from "./access/key-cache.ts";
import { createAudits } from "./audits/audits.ts";
import { followTagPolicies } from "./attribution/tag-policies.ts";
import { createAccounts } from "./billing/accounts/accounts.ts";
import { createBudgets } from "./billing/budgets/budgets.ts";
import { openBlobs } from "./blobs/open-blobs.ts";
import { bundledTable } from "./billing/prices/bundled/bundled.ts";
import { openBodyLog } from "./bodies/body-log.ts";
import { secretsOf } from "./upstream/provider-secrets.ts";
import { publishConfigured } from "./billing/price-lists/change-prices.ts";
import { publishStoredPrices } from "./billing/price-lists/publish-stored.ts";
import { configuredTable, type PricedByConfiguration } from "./billing/price-lists/configured-table.ts";
import { createHolds } from "./billing/holds/holds.ts";
import { followPrices } from "./billing/price-lists/prices-in-force.ts";
import { type Clock, steadyClock, systemClock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import { createConsole } from "./console/console.ts";
import type { ConsoleStore } from "./console/console-store.ts";
import { readPricesInBackground } from "./config/prices/read-in-background.ts";
import { autoPolicy, withSandboxAt } from "./config/defaults.ts";
import type { Dialects } from "./dialects/dialect.ts";
import { dialects as allDialects } from "./dialects/registry.ts";
import { readStoredBackend } from "./config/backends/backend-reader.ts";
import { catalogReader } from "./config/catalog/catalog-reader.ts";
import { routeReader } from "./config/routes/route-reader.ts";
import { createApp } from "./endpoints/app.ts";
import { createIdempotency, keptForMs } from "./idempotency/idempotency.ts";
import { createFiles } from "./files/files.ts";
import { createLinks } from "./files/links.ts";
import type { Log } from "./log.ts";
import { createAnswerMemory } from "./pipeline/capacity/answer-memory.ts";
import { createCapacity } from "./pipeline/capacity/capacity.ts";
import { createInFlight } from "./pipeline/in-flight.ts";
import type { Services } from "./pipeline/services.ts";
import { type PollTimes, usualPollTimes } from "./pipeline/videos/poll-times.ts";
import { createVideoService } from "./pipeline/videos/create-video-service.ts";
import { startVideoRunner } from "./pipeline/videos/video-runner.ts";
import { openJournal } from "./records/journal/journal.ts";
import { createRecorder } from "./records/recorder/recorder.ts";
import { createResponses } from "./responses/responses.ts";
import { createHealth } from "./routing/health/health.ts";
import { pricedBackend } from "./routing/names/backend-model.ts";
import { createChangingBackends } from "./routing/names/backends.ts";
import { createSearchCache } from "./search/cache/search-cache.ts";
import { createNames } from "./routing/names/names.ts";
import { createChangingCatalog } from "./routing/names/catalog.ts";
import { modelsOf } from "./routing/names/models-of.ts";
import { openRoutes } from "./routing/stored/routes.ts";
import { readStoredBackends } from "./routing/stored-backends/resolve-backend.ts";
import { openSearchBackends } from "./routing/stored-backends/stored-backends.ts";
import { resolveCatalog } from "./routing/stored-catalog/resolve-catalog.ts";
import { openStoredCatalog } from "./routing/stored-catalog/stored-catalog.ts";
import { openSealer } from "./secrets/secret-key.ts";
import { listen } from "./server/server.ts";
import { startRetention } from "./retention.ts";
import { openStorage } from "./storage/open-storage.ts";
import { openChannels } from "./upstream/channel.ts";
import { createHttpClient } from "./upstream/http/client.ts";
import { createDeadlines } from "./upstream/deadlines.ts";
import { createMadeFetcher } from "./upstream/fetch-made.ts";
import { createMediaFetcher } from "./upstream/fetch-media.ts";
import { eventsKeptMs, startDelivery } from "./webhooks/deliver-events.ts";

/** A gateway that listens. */
export interface Gateway {
  /** Without a slash at its end. */
  readonly url: string;
  readonly keys: KeyStore;
  readonly users: ConsoleStore;
  /** Lets running requests finish, up to the drain bound, then ends what is left. Every record is durable after it. */
  stop(): Promise<void>;
}

/** How long requests that were cut short at the drain bound may take to leave their record. */
const settleMs = 3_000;
/** How long a storage that does not answer may hold up the end. */
const closeMs = 2_000;
/** How long those who look for changes in the storage may hold up the end: what they read is not needed any more. */
const watchMs = 1_000;
/** How long the storage may take to answer a readiness check. */
const storageAnswerMs = 1_000;

/** Dependencies of a gateway beside its configuration. */
export interface GatewayOptions {
  readonly log: Log;
  /** The system's where not given. */
  readonly clock?: Clock;
  /** The system's monotonic time if not given, or `clock` if that is. */
  readonly steady?: Clock;
  /** All that the registry lists if not given. */
  readonly dialects?: Dialects;
  /** From 0 to below 1; `Math.random` where not given. */
  readonly random?: () => number;
  /** Bytes of records that may wait on disk while the storage is away; 128 MiB where not given. */
  readonly journalMaxBytes?: number | undefined;
  /** How often providers are asked for jobs. */
  readonly times?: PollTimes;
}

/**
 * The composition root: turns a configuration into rooms that know each other, and listens. Throws where the storage
 * cannot be opened or the port cannot be had.
 */
export async function startGateway(configured: Config, options: GatewayOptions): Promise<Gateway> {
  const { log, clock = systemClock, steady = options.clock ?? steadyClock, journalMaxBytes } = options;
  const { dialects = allDialects } = options;
  const closing: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  try {
    const config = configured.usesSandbox ? await startBuiltInSandbox(configured, closing) : configured;
    const storage = await openStorage(config.storage.url, { clock, log });
    closing.push(() => Promise.race([storage.close(), Bun.sleep(closeMs)]));
    const journal = openJournal({ folder: config.storage.journalDir, maxBytes: journalMaxBytes, log });
    const holds = createHolds({ store: storage.leases, clock, steady, log, recover: () => recorder.adoptLeft() });
    // After the recorder, which brings the charges of the leases to the storage.
    closing.push(() => holds.stop());
    const recorder = createRecorder({ store: storage.records, journal, clock, log });
    closing.push(() => recorder.close());

    const { retentionMs } = config.responses;
    const idempotency = createIdempotency({
      store: storage.idempotency,
      clock,
      log,
      isStoreAway: () => recorder.isStoreAway,
    });
    closing.push(() => idempotency.stop());
    const kept = [
      { what: "responses", store: storage.responses, retentionMs },
      { what: "idempotency keys", store: storage.idempotency, retentionMs: keptForMs },
      { what: "events", store: storage.outbox, retentionMs: eventsKeptMs },
      {
        what: "sign-ins",
        store: { deleteExpired: (now: number) => storage.console.removeExpired(now) },
        retentionMs: 0,
      },
    ];
    for (const each of kept) {
      const retention = startRetention({ ...each, clock, log });
      closing.push(() => retention.stop());
    }

    if (config.webhooks.length > 0) {
      const delivery = startDelivery({ webhooks: config.webhooks, outbox: storage.outbox, clock, log });
      closing.push(() => delivery.stop());
    }

    const health = createHealth({ clock: steady, log });
    const client = createHttpClient({ now: () => steady.now() });
    closing.push(() => client.close());
    const fixedModels = modelsOf(config, health);
    const catalog = createChangingCatalog(fixedModels, health);
    const names = createNames({ catalog, routes: config.routes, auto: config.auto ? autoPolicy : null });
    const watching: (() => Promise<void> | void)[] = [];
    closing.push(() =>
      Promise.race([Promise.all(watching.map(async (stop) => stop())), Bun.sleep(watchMs)]).then(() => {}),
    );
    const { sealer, caution } = openSealer(config.secretKeys);
    if (caution !== null) log.warn({}, caution);
    const reader = catalogReader(config.server.publicUrl);

    const { bundled } = config.prices;
    const storedBackends = await readStoredBackends(await storage.searchBackends.list(), readStoredBackend);
    const storedEntries = await storage.catalog.list();
    const stored = await resolveCatalog(storedEntries, { reader, sealer, configured: config });
    const storedModels = stored.models.flatMap(({ model }) => model ?? []);
    await publishConfigured(
      storage.prices,
      // The last one counts: a stored backend under an id of the configuration is not in force.
      configuredTable([
        ...[...storedBackends, ...config.search.backends].map(pricedBackend),
        ...storedModels,
        ...config.models,
      ]),
      bundled ? bundledTable : null,
    );
    const prices = await followPrices({ store: storage.prices, log });
    watching.push(() => prices.stop());
    const publishPrices = async (of: string, priced: readonly PricedByConfiguration[]) => {
      const owners = priced.map(({ id }) => id);
      await publishStoredPrices(storage.prices, { of, owners, prices: configuredTable(priced).models });
      await prices.refresh();
    };

    const channels = openChannels(client, [
      ...config.providers,
      ...config.search.backends.map(({ provider }) => provider),
    ]);
    const storedCatalog = await openStoredCatalog({
      store: storage.catalog,
      clock,
      log,
      reader,
      sealer,
      configured: config,
      routes: () => routes.list().map(({ definition }) => definition),
      health,
      channels,
      lines: config.lines,
      fixedModels,
      resolved: stored,
      apply(models) {
        catalog.set(models);
        names.refresh();
      },
      publishPrices: (models) => publishPrices("models", models),
    });
    watching.push(() => storedCatalog.stop());
    const modelIds = () => [...catalog.models.map(({ id }) => id), ...catalog.patterns];
    const routes = await openRoutes({
      store: storage.routes,
      clock,
      log,
      isModel: (id) => modelIds().includes(id),
      configured: config.routes,
      lines: config.lines.routes,
      read: routeReader(config, () => modelIds().map((id) => ({ id }))),
      apply: (definitions) => names.setStored(definitions),
      problems: () => names.problems,
    });
    watching.push(() => routes.stop());
    storedCatalog.onApply(() => routes.recheck());
    const backends = createChangingBackends();
    const searchBackends = await openSearchBackends({
      store: storage.searchBackends,
      clock,
      log,
      read: readStoredBackend,
      sealer,
      configured: config.search.backends,
      lines: config.lines.backends,
      health,
      channels,
      backends,
      publishPrices: (changed) => publishPrices("search backends", changed.map(pricedBackend)),
    });
    watching.push(() => searchBackends.stop());
    const budgets = await createBudgets({
      store: storage.budgets,
      clock,
      log,
      recover: () => recorder.adoptLeft(),
      stored: () => recorder.stored(),
    });
    watching.push(() => budgets.stop());
    const tagPolicies = await followTagPolicies({ store: storage.tagPolicies, log });
    watching.push(() => tagPolicies.stop());
    const { blobs, scratch } = await openBlobs(config.blobs.url);
    closing.push(() => scratch.close());
    const { maxFileBytes, maxAccountBytes: maxBytes, maxAccountFiles: maxFiles } = config.files;
    const files = createFiles({ store: storage.files, blobs, clock, log, limits: { maxBytes, maxFiles } });
    closing.push(() => files.stop());
    const links = createLinks({ store: storage.files, blobs, clock });
    const catalogued = { recorder, catalog, prices, clock, log, store: storage.videoJobs };
    const accounts = createAccounts({
      store: storage.accounts,
      holds,
      unstoredMicrousd: (accountId) => recorder.unstoredMicrousd(accountId),
    });
    const { times = usualPollTimes } = options;
    const callTools = { client, now: () => steady.now() };
    const asking = { providers: storedCatalog.inForce, dialects, channels, callTools };
    const videos = createVideoService({ ...catalogued, ...asking, accounts, files, times });
    const runner = startVideoRunner({
      ...catalogued,
      ...asking,
      accounts,
      files,
      scratch,
      allowHosts: config.fetch.allowHosts,
      random: options.random ?? Math.random,
      retentionMs: config.media.retentionMs,
      deadlineMs: config.media.jobDeadlineMs,
      times,
    });
    closing.push(() => runner.stop());
    const secrets = () => {
      const ofBackends = searchBackends.list().flatMap(({ backend }) => (backend === null ? [] : [backend.provider]));
      return [...storedCatalog.inForce.all, ...ofBackends].flatMap(secretsOf);
    };
    const bodyLog = await openBodyLog({ store: storage.bodies, secrets, clock, log });
    closing.push(() => bodyLog.stop());
    const audits = createAudits({ store: storage.audits, auditor: storage.auditor, clock, log });
    closing.push(() => audits.stop());
    const inFlight = createInFlight();
    const deadlines = createDeadlines(steady);
    const { trustedProxies, maxInFlight, maxBodyMemoryBytes, bodyTimeoutMs, maxRefusedPerMinute, maxFreePerMinute } =
      config.server;
    // A body that could never be held is too large, whatever else is going on.
    const maxBodyBytes = Math.min(config.server.maxBodyBytes, maxBodyMemoryBytes);
    const services: Services = {
      clock,
      steady,
      deadlines,
      dialects,
      callTools,
      channels,
      log,
      limits: createLimiter(steady, maxFreePerMinute),
      refusals: createRefusalLimit(steady, maxRefusedPerMinute),
      keys: cacheKeys(storage.keys, { clock, log }),
      catalog,
      names,
      backends,
      searchCache: config.search.cache && createSearchCache(config.search.cache, steady),
      random: options.random ?? Math.random,
      prices,
      refusesUnpriced: config.billing.unpriced === "refuse",
      accounts,
      holds,
      budgets,
      minimumOutputTokens: config.billing.minimumOutputTokens,
      recorder,
      tagPolicies,
      managed: {
        accounts: storage.accounts,
        budgets: storage.budgets,
        tagPolicies: storage.tagPolicies,
        refreshTagPolicies: () => tagPolicies.refresh(),
        audits,
        bodies: storage.bodies,
        changes: storage.changes,
        outbox: storage.outbox,
        prices: storage.prices,
        refreshPrices: () => prices.refresh(),
        readPrices: readPricesInBackground,
      },
      bodyLog,
      usage: storage.usage,
      routes,
      storedCatalog,
      searchBackends,
      idempotency,
      responses: createResponses({
        store: storage.responses,
        clock,
        retentionMs,
        maxConversationSize: config.server.maxBodyBytes,
        isStoreAway: () => recorder.isStoreAway,
      }),
      storageAnswers: async () => !recorder.isStoreAway && (await answersInTime(storage.ping())),
      hideProvider: config.server.hideProvider,
      trustedProxies: trustedProxies.length === 0 ? null : compileIpRanges(trustedProxies),
      corsOrigins: config.cors.origins,
      fetchMedia: createMediaFetcher(config.fetch),
      inFlight,
      capacity: createCapacity({ maxInFlight, maxBodyMemoryBytes, maxBodyBytes }, steady),
      answerMemory: createAnswerMemory({
        maxBytes: config.server.maxAnswerMemoryBytes,
        clock: steady,
        deadlines,
      }),
      bodyLimits: { maxBodyBytes, bodyTimeoutMs, maxFileBytes },
      scratch,
      files,
      links,
      media: { links, fetchMade: createMadeFetcher(config.fetch), hideProvider: config.server.hideProvider },
      videos,
      keepAliveMs: config.server.keepAliveMs,
      console: config.console.enabled
        ? createConsole({
            settings: config.console,
            store: storage.console,
            keys: config.secretKeys,
            steady,
            log,
          })
        : null,
    };

    const server = listen({
      hostname: config.server.host,
      port: config.server.port,
      handle: createApp(services),
      onError: (error) => log.error({ cause: String(error) }, "a connection failed"),
    });
    closing.push(() => server.stop(true));

    return {
      url: server.url,
      keys: storage.keys,
      users: storage.console,
      async stop() {
        // New requests are answered with 503 while running ones finish, so the port stays open until the end.
        // A request has settled before its last bytes are written: those are the server's to wait for.
        const finished = inFlight.drain().then(() => server.stop());
        await Promise.race([finished, Bun.sleep(config.server.drainMs)]);
        inFlight.cutShort();
        await server.stop(true);
        await Promise.race([inFlight.drain(), Bun.sleep(settleMs)]);
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function startBuiltInSandbox(config: Config, closing: (() => Promise<void> | void)[]): Promise<Config> {
  const { startSandbox } = await import("./sandbox/server.ts");
  const sandbox = await startSandbox({ control: false, log: { requests: 0, bytes: 0 } });
  closing.push(() => sandbox.stop());
  return withSandboxAt(config, sandbox.url);
}

async function answersInTime(ping: Promise<void>): Promise<boolean> {
  const answered = ping.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, Bun.sleep(storageAnswerMs).then(() => false)]);
}
