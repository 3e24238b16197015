import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { AuditWithFindings } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Ago } from "../../components/values.tsx";
import { exactTime } from "../../format/time.ts";
import { words } from "../../words/en.ts";
import { auditQuery } from "./audit-queries.ts";
import { AuditResult, starterOf, Took } from "./audit-result.tsx";
import { Finding } from "./finding.tsx";

const text = words.audit;

/** Findings that are shown at first. */
const shownFirst = 100;

/** One audit, and what it found. */
export function AuditView({ id }: { readonly id: string }) {
  const query = useQuery(auditQuery(id));
  return (
    <Loaded query={query}>
      {(audit) => (
        <>
          <div className="border-b border-line p-4">
            <div className="mb-3">
              <AuditResult audit={audit} />
            </div>
            <AuditFacts audit={audit} />
          </div>
          <Findings audit={audit} />
        </>
      )}
    </Loaded>
  );
}

function AuditFacts({ audit }: { readonly audit: AuditWithFindings }) {
  const { accounts, entries, records, error } = audit;
  const names = text.facts;
  const facts: (readonly [string, ReactNode])[] = [
    [
      names.started,
      <>
        {exactTime(audit.started_at)} (<Ago at={audit.started_at} />)
      </>,
    ],
    [names.by, starterOf(audit)],
    [names.took, <Took key="took" audit={audit} />],
  ];
  if (accounts !== null && entries !== null && records !== null)
    facts.push([names.looked, text.looked(accounts, entries, records)]);
  if (error !== null)
    facts.push([
      names.error,
      <span key="error" className="text-bad">
        {error}
      </span>,
    ]);
  facts.push([names.id, <CopyText key="id" text={audit.id} />]);
  return <Facts facts={facts} />;
}

function Findings({ audit }: { readonly audit: AuditWithFindings }) {
  const [showsAll, setShowsAll] = useState(false);
  const { data, findings } = audit;
  if (data.length === 0) {
    if (audit.status === "completed") return <p className="p-4 text-sm text-good">{text.sound}</p>;
    return <p className="p-4 text-sm text-dim">{text.soundSoFar}</p>;
  }
  const shown = showsAll ? data : data.slice(0, shownFirst);
  return (
    <>
      <ul>
        {shown.map((finding, at) => (
          <Finding key={at} finding={finding} />
        ))}
      </ul>
      {shown.length < data.length && (
        <div className="p-4 text-center">
          <Button onClick={() => setShowsAll(true)}>{text.showAll(data.length - shown.length)}</Button>
        </div>
      )}
      {findings > data.length && <p className="p-4 text-xs text-faint">{text.shownOf(data.length, findings)}</p>}
    </>
  );
}
