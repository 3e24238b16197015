import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { ApiKey, KeyAccess as Access } from "../../api/types.ts";
import { classNames } from "../../components/class-names.ts";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { words } from "../../words/en.ts";

const text = words.keys.sheet;
const pageSize = 100;

type Model = Access["data"][number];

/** Which models a key can call at which endpoints, and why not the others. */
export function KeyAccess({ apiKey }: { readonly apiKey: ApiKey }) {
  const [filter, setFilter] = useState("");
  const query = useInfiniteQuery({
    queryKey: ["key access", apiKey],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => {
      const asked = { limit: pageSize, ...(pageParam !== null && { after: pageParam }) };
      const params = { path: { id: apiKey.id }, query: asked };
      return answerOf(api.GET("/api/admin/keys/{id}/access", { params }));
    },
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const wanted = filter.trim().toLowerCase();
        const models = pages.flatMap(({ data }) => data).filter(({ id }) => id.toLowerCase().includes(wanted));
        return (
          <div className="flex flex-col gap-2">
            {pages[0]?.refusals.map(({ code, message }) => (
              <p key={message} className="flex gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
                <Icon name="warning" className="mt-0.5 size-4 shrink-0" />
                <span className="min-w-0 wrap-anywhere">
                  {message} <code className="font-mono text-xs">{code}</code>
                </span>
              </p>
            ))}
            <input
              type="search"
              aria-label={text.filter}
              placeholder={text.filter}
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
              className="field"
            />
            <ul aria-label={text.access} className="flex flex-col">
              {models.map((model) => (
                <ModelAccess key={model.id} model={model} />
              ))}
            </ul>
            <LoadMore query={query} />
          </div>
        );
      }}
    </Loaded>
  );
}

function ModelAccess({ model: { id, endpoints } }: { readonly model: Model }) {
  // Most often one reason stands against all endpoints of a model.
  const reasons = [...new Set(endpoints.flatMap(({ reason }) => (reason ? [reason.message] : [])))];
  return (
    <li className="border-b border-line py-2 last:border-b-0">
      <p className="text-sm font-medium wrap-anywhere">{id}</p>
      <p className="mt-1 flex flex-wrap gap-1">
        {endpoints.map(({ name, allowed }) => (
          <span
            key={name}
            className={classNames(
              "inline-flex items-center gap-1 rounded-sm px-1.5 text-xs",
              allowed ? "bg-good-soft text-good" : "bg-hover text-dim line-through",
            )}
          >
            <Icon name={allowed ? "check" : "close"} className="size-2.5" />
            {name} <span className="sr-only">{allowed ? text.allowed : text.notAllowed}</span>
          </span>
        ))}
      </p>
      {reasons.map((reason) => (
        <p key={reason} className="mt-1 text-xs text-dim">
          {reason}
        </p>
      ))}
    </li>
  );
}
