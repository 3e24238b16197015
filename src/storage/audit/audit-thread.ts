import type { StorageKind } from "../migrations/migrations.ts";
import { type AuditPart, auditPart } from "../queries/audit-queries.ts";
import type { RollupSalt } from "../usage/rollup-audit.ts";
import type { AuditReader, AuditTarget } from "./audit-reader.ts";
import { openAuditReader } from "./open-audit-reader.ts";
import { yieldToOthers } from "../yield-to-others.ts";

/** The thread behind `audit-threads.ts`: it answers each question in turn. */
declare const self: Worker;

/** First `open`, then `begin`, then a part as often as there are any. */
export type AuditQuestion =
  | { readonly ask: "open"; readonly target: AuditTarget }
  | { readonly ask: "begin"; readonly snapshot: string | null; readonly isBackground: boolean }
  | { readonly ask: "part"; readonly kind: StorageKind; readonly part: AuditPart; readonly salt: RollupSalt };

let reader: AuditReader | null = null;

async function answer(question: AuditQuestion): Promise<unknown> {
  if (question.ask === "open") {
    reader = await openAuditReader(question.target);
    return null;
  }
  if (reader === null) throw new Error("The database was not opened.");
  if (question.ask === "begin") {
    const moment = await reader.begin(question.snapshot);
    if (question.isBackground) yieldToOthers();
    return moment;
  }
  return auditPart(question.kind, question.part, question.salt, reader.readEach);
}

self.addEventListener("message", ({ data }: MessageEvent<AuditQuestion>) => {
  answer(data).then(
    (value) => postMessage({ value }),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.message : String(error) }),
  );
});
