import { useNavigate } from "@tanstack/react-router";
import type { ApiKey } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Menu } from "../../components/menu.tsx";
import { Cell, Row } from "../../components/table.tsx";
import { Ago, None } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { count } from "../../format/number.ts";
import { words } from "../../words/en.ts";

const text = words.keys;

const tones: Readonly<Record<ApiKey["status"], Tone>> = { active: "good", disabled: "bad", expired: "warn" };

export interface KeyActions {
  readonly show: (key: ApiKey) => void;
  readonly edit: (key: ApiKey) => void;
  readonly rotate: (key: ApiKey) => void;
  readonly disable: (key: ApiKey) => void;
  readonly enable: (key: ApiKey) => void;
}

export function KeyRow({ apiKey, actions }: { readonly apiKey: ApiKey; readonly actions: KeyActions }) {
  const navigate = useNavigate();
  const isDisabled = apiKey.status === "disabled";
  const items = [
    { label: text.edit, act: () => actions.edit(apiKey) },
    {
      label: text.showRequests,
      act: () => void navigate({ to: "/requests", search: ({ range }) => ({ range, key: apiKey.id }) }),
    },
    { label: text.rotate, act: () => actions.rotate(apiKey) },
    isDisabled
      ? { label: text.enable, act: () => actions.enable(apiKey) }
      : { label: text.disable, act: () => actions.disable(apiKey), danger: true },
  ];
  return (
    <Row>
      <Cell>
        <span className="flex items-center gap-2">
          <button type="button" className="truncate font-medium hover:underline" onClick={() => actions.show(apiKey)}>
            {apiKey.name}
          </button>
          {apiKey.status !== "active" && <Badge tone={tones[apiKey.status]}>{text.status[apiKey.status]}</Badge>}
          {apiKey.admin && <Badge tone="accent">{text.admin}</Badge>}
        </span>
      </Cell>
      <Cell>
        <CopyText text={apiKey.id} />
      </Cell>
      <Cell className="text-dim">{apiKey.account}</Cell>
      <Cell className="text-dim">{scopeOf(apiKey)}</Cell>
      <Cell right>
        {apiKey.limits.requests_per_minute === null ? <None /> : count(apiKey.limits.requests_per_minute)}
      </Cell>
      <Cell className="text-dim">
        <Ago at={apiKey.created_at} />
        {apiKey.created_by && (
          <span className="block max-w-44 truncate text-xs text-faint" title={actorName(apiKey.created_by)}>
            {text.createdBy(actorName(apiKey.created_by))}
          </span>
        )}
      </Cell>
      <Cell className="text-dim">
        {apiKey.expires_at === null ? words.common.never : <Ago at={apiKey.expires_at} />}
      </Cell>
      <Cell className="w-10 text-right">
        <Menu label={text.actions(apiKey.name)} items={items} />
      </Cell>
    </Row>
  );
}

/** What a key may use, in a few words. */
function scopeOf({ models, endpoints, domains, ip_ranges: ranges }: ApiKey): string {
  const parts = [
    models && (models.length === 1 ? models[0] : text.models(models.length)),
    endpoints && (endpoints.length <= 2 ? endpoints.join(", ") : text.endpoints(endpoints.length)),
    domains && (domains.length === 1 ? domains[0] : text.domains(domains.length)),
    ranges && (ranges.length === 1 ? ranges[0] : text.ranges(ranges.length)),
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? text.everything : parts.join(" · ");
}
