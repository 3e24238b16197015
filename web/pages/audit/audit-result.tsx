import type { Audit } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { None } from "../../components/values.tsx";
import { milliseconds } from "../../format/number.ts";
import { actorName } from "../../format/actor.ts";
import { words } from "../../words/en.ts";

const text = words.audit;

/** How an audit ended, in a word: what it found counts most. */
export function AuditResult({ audit }: { readonly audit: Audit }) {
  const { status, findings } = audit;
  return (
    <span className="inline-flex flex-wrap gap-1">
      {(status !== "completed" || findings === 0) && (
        <Badge tone={status === "completed" ? "good" : status === "failed" ? "bad" : "plain"}>
          {text.status[status]}
        </Badge>
      )}
      {findings > 0 && <Badge tone="bad">{text.findings(findings)}</Badge>}
    </span>
  );
}

/** Who began an audit. */
export function starterOf({ started_by: by }: Audit): string {
  return actorName(by);
}

/** How long an audit took, to the second. */
export function Took({ audit }: { readonly audit: Audit }) {
  if (audit.ended_at === null) return <None />;
  const seconds = audit.ended_at - audit.started_at;
  return seconds === 0 ? "< 1 s" : milliseconds(1_000 * seconds).replace(/\.0+ s/, " s");
}
