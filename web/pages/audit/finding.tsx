import { Link } from "@tanstack/react-router";
import type { AuditWithFindings } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { words } from "../../words/en.ts";

const text = words.audit;

type FindingOf = AuditWithFindings["data"][number];

/** One thing that does not agree, with the way to it. */
export function Finding({ finding }: { readonly finding: FindingOf }) {
  const { kind, subject, message, concerns } = finding;
  return (
    <li className="border-b border-line px-4 py-2.5 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="bad">{text.kinds[kind] ?? kind}</Badge>
        <span className="min-w-0 truncate font-mono text-xs text-dim" title={subject}>
          {subject}
        </span>
        <span className="flex-1" />
        {concerns && <Way concerns={concerns} />}
      </div>
      <p className="mt-1 text-sm wrap-anywhere">{message}</p>
    </li>
  );
}

function Way({ concerns: { kind, id } }: { readonly concerns: NonNullable<FindingOf["concerns"]> }) {
  const search = kind === "budget" ? {} : { id };
  return (
    <Link
      to={kind === "request" ? "/requests" : "/accounts"}
      search={search}
      className="text-xs text-accent hover:underline"
    >
      {text.concerns[kind]}
    </Link>
  );
}
