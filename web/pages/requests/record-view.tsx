import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { requestSnippets } from "../../api/snippets.ts";
import type { UsageRecord } from "../../api/types.ts";
import { Json, Snippets } from "../../components/code.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { Ago, Money, None } from "../../components/values.tsx";
import { exactTime } from "../../format/time.ts";
import { milliseconds, quantityOf } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { tagsOf } from "./columns.tsx";
import { explainableOf, sampleOf } from "./endpoints.ts";
import { RecordBodies } from "./bodies/record-bodies.tsx";
import { RecordAttempts } from "./record-attempts.tsx";
import { RecordCost } from "./record-cost.tsx";
import { RecordWhy } from "./record-why.tsx";
import { StatusBadge } from "./status-badge.tsx";

const text = words.record;

/** All that is known of one request. */
export function RecordView({ record }: { readonly record: UsageRecord }) {
  const { usage, provider_usage: raw, route_receipt: receipt, routing } = record;
  const sample = sampleOf(record);
  const again = sample && requestSnippets(sample, "YOUR_API_KEY", location.origin);
  const explained = sample && explainableOf(sample, record.model);
  return (
    <div className="flex flex-col">
      <div className="border-b border-line p-4">
        <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusBadge status={record.status} />
          <span className="min-w-0 truncate font-semibold">{record.model}</span>
          <span className="flex-1" />
          <span className="text-base font-semibold">
            <Money amount={record.billing.amount_microusd} />
          </span>
          <span className="numeric text-sm text-dim">{milliseconds(routing.latency_ms)}</span>
        </div>
        <RecordFacts record={record} />
      </div>
      {record.bodies === "kept" && (
        <Part title={words.bodies.title}>
          <RecordBodies id={record.id} />
        </Part>
      )}
      <Part title={text.sections.cost}>
        <RecordCost record={record} />
      </Part>
      {record.attempts && (
        <Part title={text.sections.attempts}>
          <RecordAttempts attempts={record.attempts} totalMs={routing.latency_ms} />
        </Part>
      )}
      <Part title={text.sections.usage}>
        {usage.dimensions.length === 0 ? (
          <p className="text-sm text-dim">{text.noUsage}</p>
        ) : (
          <Facts facts={usage.dimensions.map(({ name, quantity, unit }) => [name, quantityOf(quantity, unit)])} />
        )}
        {usage.measurement && (
          <p className="mt-2 text-xs text-faint">{text.measured(usage.measurement.input, usage.measurement.output)}</p>
        )}
      </Part>
      {receipt && (
        <Part title={text.sections.receipt}>
          <Json value={receipt} label={text.sections.receipt} />
        </Part>
      )}
      {(Object.keys(raw.raw_fields).length > 0 || raw.raw_fields_omitted) && (
        <Part title={text.sections.raw}>
          {raw.raw_fields_omitted ? (
            <p className="text-sm text-dim">{text.omitted}</p>
          ) : (
            <Json value={raw.raw_fields} label={text.sections.raw} />
          )}
        </Part>
      )}
      {sample && explained && (
        <Part title={text.sections.why}>
          <RecordWhy endpoint={sample.name} body={explained} served={routing} />
        </Part>
      )}
      {again && (
        <Part title={text.sections.again}>
          <Snippets label={text.sections.again} snippets={again} />
          <p className="mt-2 text-xs text-faint">{text.againMore}</p>
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="border-b border-line p-4 last:border-b-0">
      <h3 className="mb-2 text-xs font-semibold text-dim">{title}</h3>
      {children}
    </section>
  );
}

function RecordFacts({ record }: { readonly record: UsageRecord }) {
  const { routing, attribution, billing, error } = record;
  const names = text.facts;
  const time = (value: number | null) => (value === null ? <None /> : milliseconds(value));
  const facts: (readonly [string, ReactNode])[] = [
    [
      names.time,
      <>
        {exactTime(record.created_at)} (<Ago at={record.created_at} />)
      </>,
    ],
    [
      names.resolved,
      // A request that failed has the provider that was asked last, which served nothing.
      routing.resolved_model === null ? (
        <None />
      ) : (
        [routing.resolved_model, routing.chose_provider].filter(Boolean).join(" at ")
      ),
    ],
    [names.endpoint, record.endpoint],
    [names.strategy, routing.strategy_name],
    [names.firstByte, time(routing.time_to_first_byte_ms)],
    [names.upstream, time(routing.upstream_ms)],
    [names.stream, record.stream ? words.common.yes : words.common.no],
    [names.account, billing.account],
  ];
  if (record.key_id !== undefined) {
    const key = record.key_id;
    facts.push([
      names.key,
      <Link key="key" to="/requests" search={({ range }) => ({ range, key })} className="text-accent hover:underline">
        {key}
      </Link>,
    ]);
  }
  if (attribution.end_user !== null) facts.push([names.user, attribution.end_user]);
  if (attribution.session !== null) facts.push([names.session, attribution.session]);
  const tags = tagsOf(attribution.tags);
  if (tags !== null) facts.push([names.tags, tags]);
  if (error !== null)
    facts.push([
      names.error,
      <span key="error" className="text-bad">
        {[routing.status_code, error.type, error.code].filter(Boolean).join(" · ")}
      </span>,
    ]);
  facts.push([names.id, <CopyText key="id" text={record.id} />]);
  return <Facts facts={facts} />;
}
