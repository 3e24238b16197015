import { fileURLToPath } from "node:url";
import type { AuditCounts, BackgroundAudit, BackgroundObserver } from "../../billing/audit.ts";
import type { AuditOrder, AuditReport } from "./audit-process.ts";

/**
 * Audits in a process of its own: it reads and adds up for minutes, and can be ended at any instant. It has the lowest
 * priority, so that requests keep the processors.
 */
export function auditInBackground(order: AuditOrder, observer: BackgroundObserver): BackgroundAudit {
  const { promise: counts, resolve, reject } = Promise.withResolvers<AuditCounts>();
  const file = fileURLToPath(new URL("./audit-process.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, file], {
    stdio: ["ignore", "ignore", "ignore"],
    serialization: "json",
    ipc(report: AuditReport) {
      if (report.kind === "ready") child.send(order);
      else if (report.kind === "findings") observer.onFindings(report.findings, report.count);
      else if (report.kind === "progress") observer.onProgress(report.done, report.parts);
      else {
        if (report.kind === "counts") resolve(report.counts);
        else reject(new Error(report.message));
        child.disconnect();
      }
    },
  });
  void child.exited.then(() => reject(new Error("The process of the audit has ended.")));
  child.unref();
  return { counts, stop: () => child.kill("SIGKILL") };
}
