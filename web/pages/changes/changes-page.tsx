import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { Change } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Json } from "../../components/code.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Page } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago } from "../../components/values.tsx";
import { actorName } from "../../format/actor.ts";
import { words } from "../../words/en.ts";

const text = words.changes;

const kinds = [
  "key",
  "price_list",
  "route",
  "account",
  "budget",
  "search_backend",
  "provider",
  "model",
] as const satisfies Change["kind"][];

/** The audit trail. */
export function ChangesPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [open, setOpen] = useState<Change | null>(null);
  const kind = kinds.find((name) => name === search["kind"]);
  const query = useInfiniteQuery({
    queryKey: ["changes", kind],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) => {
      const asked = { limit: 100, ...(kind && { kind }), ...(pageParam !== null && { after: pageParam }) };
      return answerOf(api.GET("/api/admin/changes", { params: { query: asked } }));
    },
    getNextPageParam: ({ next }) => (next === null ? null : Number(next)),
  });
  const choose = (
    <select
      aria-label={text.kind}
      value={kind ?? ""}
      onChange={(event) => {
        const chosen = event.target.value || undefined;
        void navigate({ to: "/changes", search: ({ range }) => ({ range, kind: chosen }), replace: true });
      }}
      className="field w-40"
    >
      <option value="">{text.all}</option>
      {kinds.map((name) => (
        <option key={name} value={name}>
          {text.kinds[name]}
        </option>
      ))}
    </select>
  );
  return (
    <Page title={text.title} description={text.description} actions={choose}>
      <Loaded query={query}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) {
            return (
              <Empty icon="changes" title={text.emptyTitle}>
                {text.emptyMore}
              </Empty>
            );
          }
          return (
            <>
              <Table label={text.title} columns={text.columns}>
                {all.map((change) => (
                  <Row key={change.sequence}>
                    <Cell className="text-dim">
                      <Ago at={change.created_at} />
                    </Cell>
                    <Cell>{actorName(change.by)}</Cell>
                    <Cell>
                      <Badge>{text.kinds[change.kind] ?? change.kind}</Badge>{" "}
                      <span className="text-dim">{change.action}</span>
                    </Cell>
                    <Cell className="font-mono text-xs">{change.id}</Cell>
                    <Cell className="text-right">
                      <Button small onClick={() => setOpen(change)}>
                        {text.show}
                      </Button>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
      <Sheet
        open={open !== null}
        onClose={() => setOpen(null)}
        title={open ? text.detail(text.kinds[open.kind] ?? open.kind, open.id) : ""}
      >
        {open && <States change={open} />}
      </Sheet>
    </Page>
  );
}

/** What a change made of what. */
function States({ change }: { readonly change: Change }) {
  return (
    <div className="flex flex-col gap-4 p-4">
      {([text.before, text.after] as const).map((name, index) => {
        const state = index === 0 ? change.before : change.after;
        return (
          <section key={name}>
            <h3 className="mb-1.5 text-xs font-semibold text-dim">{name}</h3>
            {state === null ? <p className="text-sm text-dim">{text.nothing}</p> : <Json value={state} label={name} />}
          </section>
        );
      })}
    </div>
  );
}
