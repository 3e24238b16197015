import type { AuditCounts, AuditObserver } from "../../billing/audit.ts";
import { auditBook, auditPart, divideRecords } from "../queries/audit-queries.ts";
import type { AuditTarget } from "./audit-reader.ts";
import { openAuditReader } from "./open-audit-reader.ts";
import { yieldToOthers } from "../yield-to-others.ts";
import { type AuditThreads, startAuditThreads } from "./audit-threads.ts";

/** A thread takes a second or two for so many, and holds what it finds in them until they are done. */
const defaultRecordsPerPart = 100_000;

export interface AuditRun {
  readonly target: AuditTarget;
  /** A book of no more records is audited in this thread. */
  readonly recordsPerPart?: number | undefined;
  /** Sees to it that all transactions that are begun meanwhile see the same moment. */
  readonly atOneMoment: (begin: () => Promise<void>) => Promise<void>;
  /** Whether the threads yield to all other processes once they have begun. */
  readonly isBackground?: boolean | undefined;
}

/** Audits a book in several threads if it is large. All see one moment, and others go on writing. */
export async function runAudit(
  { target, recordsPerPart = defaultRecordsPerPart, atOneMoment, isBackground = false }: AuditRun,
  observer: AuditObserver,
): Promise<AuditCounts> {
  const { kind } = target;
  const reader = await openAuditReader(target);
  let threads: AuditThreads | null = null;
  try {
    const ranges = await divideRecords(kind, reader.readEach, recordsPerPart);
    if (ranges.length === 1) {
      await reader.begin(null);
      if (isBackground) yieldToOthers();
      return await auditBook(
        kind,
        ranges,
        reader.readEach,
        async (parts, salt, look) => {
          for (const part of parts) look(await auditPart(kind, part, salt, reader.readEach));
        },
        observer,
      );
    }
    const started = await startAuditThreads(target, isBackground);
    threads = started;
    await atOneMoment(async () => started.begin(await reader.begin(null)));
    // Not before: others wait for this moment.
    if (isBackground) yieldToOthers();
    const doParts = started.doParts.bind(null, kind);
    return await auditBook(kind, ranges, reader.readEach, doParts, observer);
  } finally {
    threads?.stop();
    await reader.close();
  }
}
