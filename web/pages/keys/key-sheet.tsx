import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ApiKey } from "../../api/types.ts";
import { Button, buttonClass } from "../../components/button.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { count } from "../../format/number.ts";
import { Ago, At } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { KeyAccess } from "./key-access.tsx";
import type { KeyActions } from "./key-row.tsx";
import { KeyUsage } from "./key-usage.tsx";

const text = words.keys;

interface KeySheetProps {
  /** Null for none. */
  readonly apiKey: ApiKey | null;
  readonly actions: KeyActions;
  readonly onClose: () => void;
}

/** One key: what it may do, what it has done, and what it can call right now. */
export function KeySheet({ apiKey, actions, onClose }: KeySheetProps) {
  return (
    <Sheet open={apiKey !== null} onClose={onClose} title={apiKey?.name ?? ""}>
      {apiKey && <KeyView key={apiKey.id} apiKey={apiKey} actions={actions} />}
    </Sheet>
  );
}

function KeyView({ apiKey, actions }: { readonly apiKey: ApiKey; readonly actions: KeyActions }) {
  const isDisabled = apiKey.status === "disabled";
  return (
    <>
      <div className="flex flex-col gap-4 border-b border-line p-4">
        <Facts facts={factsOf(apiKey)} />
        <div className="flex flex-wrap gap-2">
          <Button small onClick={() => actions.edit(apiKey)}>
            {text.edit}
          </Button>
          <Button small onClick={() => actions.rotate(apiKey)}>
            {text.rotate}
          </Button>
          {isDisabled ? (
            <Button small onClick={() => actions.enable(apiKey)}>
              {text.enable}
            </Button>
          ) : (
            <Button small look="danger" onClick={() => actions.disable(apiKey)}>
              {text.disable}
            </Button>
          )}
          <Link
            to="/requests"
            search={({ range }) => ({ range, key: apiKey.id })}
            className={buttonClass("plain", true)}
          >
            {text.showRequests}
          </Link>
        </div>
      </div>
      <Part title={text.sheet.usage}>
        <KeyUsage keyId={apiKey.id} />
      </Part>
      <Part title={text.sheet.access} hint={text.sheet.accessMore}>
        <KeyAccess apiKey={apiKey} />
      </Part>
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

function Part({ title, hint, children }: PartProps) {
  return (
    <section className="border-b border-line p-4 last:border-b-0">
      <h3 className="text-xs font-semibold text-dim">{title}</h3>
      {hint !== undefined && <p className="text-xs text-faint">{hint}</p>}
      <div className="mt-2">{children}</div>
    </section>
  );
}

function factsOf(key: ApiKey): (readonly [string, ReactNode])[] {
  const names = text.sheet.facts;
  const listOr = (list: readonly string[] | null) => (list === null ? text.everything : list.join(", "));
  const limit = (value: number | null) => (value === null ? text.form.noLimit : count(value));
  const tags = Object.entries(key.tags).map(([name, value]) => `${name}=${value}`);
  return [
    [names.id, <CopyText key="id" text={key.id} />],
    [names.status, text.status[key.status]],
    [names.account, key.account],
    [names.models, listOr(key.models)],
    [names.endpoints, listOr(key.endpoints)],
    ...(key.domains ? [[names.domains, key.domains.join(", ")] as const] : []),
    [names.addresses, key.ip_ranges === null ? text.sheet.anywhere : key.ip_ranges.join(", ")],
    [names.requestsPerMinute, limit(key.limits.requests_per_minute)],
    [names.tokensPerMinute, limit(key.limits.tokens_per_minute)],
    [names.concurrent, limit(key.limits.concurrent_requests)],
    ...(tags.length > 0 ? [[names.tags, tags.join(", ")] as const] : []),
    [names.created, <At key="created" at={key.created_at} />],
    [names.expires, key.expires_at === null ? words.common.never : <Ago key="expires" at={key.expires_at} />],
    ...(key.old_secret_expires_at !== null
      ? [[names.oldSecret, <Ago key="old" at={key.old_secret_expires_at} />] as const]
      : []),
  ];
}
