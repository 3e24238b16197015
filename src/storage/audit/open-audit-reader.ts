import type { AuditReader, AuditTarget } from "./audit-reader.ts";

/** Opens a connection of its own. A client that is not needed is not loaded. */
export async function openAuditReader(target: AuditTarget): Promise<AuditReader> {
  if (target.kind === "sqlite") {
    const { openSqliteAuditReader } = await import("../sqlite/audit-reader.ts");
    return openSqliteAuditReader(target.path);
  }
  const { openPostgresAuditReader } = await import("../postgres/audit-reader.ts");
  return openPostgresAuditReader(target.url);
}
