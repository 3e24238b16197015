import { newRequestId } from "../identifiers.ts";
import type { AuditCounts, Auditor, BackgroundAudit, Finding } from "../billing/audit.ts";
import type { Actor } from "../changes/change.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { AuditEnd, AuditRun, AuditStore } from "./audit-run.ts";

/** Findings of an audit that are kept; the rest is counted. */
const maxFindings = 1_000;
/** How often the storage is told how far an audit is. */
const usualReportMs = 1_000;
/** An audit that was not heard of for so long has ended with its process. */
const lostAfterMs = 15_000;

/** Audits that operators begin, watch and read. */
export interface Audits {
  /** @returns the audit that is running, and whether it was begun by this call */
  start(by: Actor): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /** Newest first; the last 100 are kept. */
  list(query: Parameters<AuditStore["list"]>[0]): Promise<readonly AuditRun[]>;
  find(id: string): ReturnType<AuditStore["find"]>;
  /** Ends a running audit, in whichever process it runs: within a second or two. False if it is not running. */
  cancel(id: string): Promise<boolean>;
  /** Ends the audit of this process. */
  stop(): Promise<void>;
}

interface AuditsOptions {
  readonly store: AuditStore;
  readonly auditor: Pick<Auditor, "auditInBackground">;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  readonly reportMs?: number;
}

export function createAudits({ store, auditor, clock, log, reportMs = usualReportMs }: AuditsOptions): Audits {
  const aliveSince = () => clock.now() - lostAfterMs;
  let running: { readonly id: string; cancel(): void; readonly ended: Promise<void> } | null = null;

  function run(id: string): void {
    let progress = { partsDone: 0, parts: 0, found: 0 };
    const findings: Finding[] = [];
    const { promise: cancelled, reject } = Promise.withResolvers<never>();
    let audit: BackgroundAudit | null = null;
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
      audit?.stop();
      reject(new Error("The audit was cancelled."));
    };
    const report = async () => {
      try {
        if (await store.report(id, clock.now(), progress, findings)) cancel();
      } catch (error) {
        log.warn({ audit: id, error: String(error) }, "An audit cannot tell how far it is.");
      }
    };
    const work = async (): Promise<AuditCounts> => {
      audit = auditor.auditInBackground({
        onFindings(found, count) {
          progress = { ...progress, found: progress.found + count };
          findings.push(...found.slice(0, maxFindings - findings.length));
        },
        onProgress(partsDone, parts) {
          progress = { ...progress, partsDone, parts };
        },
      });
      return Promise.race([audit.counts, cancelled]);
    };
    const follow = async (): Promise<void> => {
      const timer = setInterval(() => void report(), reportMs);
      const end = await work().then(
        (counts): AuditEnd => ({ status: "completed", counts }),
        (error: unknown): AuditEnd =>
          isCancelled ? { status: "cancelled" } : { status: "failed", error: messageOf(error) },
      );
      clearInterval(timer);
      log.info({ audit: id, status: end.status, findings: progress.found }, "an audit has ended");
      await store.end(id, clock.now(), end, progress, findings).catch((error: unknown) => {
        log.warn({ audit: id, error: String(error) }, "The end of an audit cannot be kept.");
      });
      running = null;
    };
    running = { id, cancel, ended: follow() };
  }

  return {
    async start(by) {
      const startedAt = clock.now();
      const id = newRequestId(startedAt).replace("req_", "aud_");
      const runningId = await store.begin({ id, startedBy: by, startedAt }, aliveSince());
      if (runningId === id) run(id);
      return { id: runningId, isNew: runningId === id };
    },
    list: (query) => store.list(query, aliveSince()),
    find: (id) => store.find(id, aliveSince()),
    async cancel(id) {
      const isRunning = await store.cancel(id);
      if (running?.id === id) {
        running.cancel();
        await running.ended;
      }
      return isRunning;
    },
    async stop() {
      running?.cancel();
      await running?.ended;
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
