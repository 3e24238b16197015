import type { AuditCounts, Finding } from "../../billing/audit.ts";
import type { AuditTarget } from "./audit-reader.ts";

/**
 * The process behind `background-audit.ts`. The target comes as a message, since the address of a database may hold a
 * password, and other users can read the arguments of a process.
 */

/** The message that begins an audit. */
export interface AuditOrder {
  readonly target: AuditTarget;
  readonly recordsPerPart: number | null;
}

/** What the process tells. */
export type AuditReport =
  | { readonly kind: "ready" }
  | { readonly kind: "findings"; readonly findings: readonly Finding[]; readonly count: number }
  | { readonly kind: "progress"; readonly done: number; readonly parts: number }
  | { readonly kind: "counts"; readonly counts: AuditCounts }
  | { readonly kind: "failure"; readonly message: string };

const tell = (report: AuditReport) => void process.send?.(report);

/** Findings are told together: a book in which nothing agrees has millions of them. */
const tellEveryMs = 200;
/** Findings that are told one by one; the rest is counted. */
const maxTold = 1_000;

async function audit({ target, recordsPerPart }: AuditOrder): Promise<void> {
  const { auditTarget } = await import("./audit-target.ts");
  let told = 0;
  let count = 0;
  let waiting: Finding[] = [];
  const tellWaiting = () => {
    if (count > 0) tell({ kind: "findings", findings: waiting, count });
    waiting = [];
    count = 0;
  };
  const timer = setInterval(tellWaiting, tellEveryMs);
  try {
    const counts = await auditTarget(
      { target, recordsPerPart: recordsPerPart ?? undefined, isBackground: true },
      {
        onFinding(finding) {
          count += 1;
          if ((told += 1) <= maxTold) waiting.push(finding);
        },
        onProgress: (done, parts) => tell({ kind: "progress", done, parts }),
      },
    );
    tellWaiting();
    tell({ kind: "counts", counts });
  } catch (error) {
    tell({ kind: "failure", message: error instanceof Error ? error.message : String(error) });
  } finally {
    clearInterval(timer);
  }
}

process.once("message", (order: AuditOrder) => void audit(order));
// The gateway has ended, however it did.
process.once("disconnect", () => process.exit(0));
tell({ kind: "ready" });
