import type { Finding as AuditFinding } from "../src/billing/audit.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { type Finding, some } from "./finding.ts";

/** The audit of the whole book: records, line items, ledger, balances, budgets and rollups. */
export async function judgeBook(databaseFile: string): Promise<Finding> {
  const storage = await openStorage(`sqlite:${databaseFile}`);
  try {
    const found: AuditFinding[] = [];
    const { records, entries } = await storage.auditor.audit((finding) => found.push(finding));
    const findings = some(found.map(({ kind, subject, message }) => `${kind} ${subject}: ${message}`));
    return {
      name: "the book is sound",
      detail: `${records} records and ${entries} entries audited, ${found.length} findings${findings}`,
      ok: found.length === 0 && records > 0,
    };
  } finally {
    await storage.close();
  }
}
