import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { CatalogModel, Route } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { words } from "../../words/en.ts";
import { catalogKeys } from "./catalog-queries.ts";
import { RouteDialog } from "./route-dialog.tsx";
import { SourceNote } from "./source-note.tsx";

const text = words.models;

/** The routes of the configuration and of the storage: aliases and policies can be added, changed and removed. */
export function Routes({ models }: { readonly models: readonly CatalogModel[] }) {
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Route | "new" | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ["routes"],
    queryFn: async () => (await answerOf(api.GET("/api/admin/routes"))).data as readonly Route[],
  });
  const refresh = () => Promise.all(catalogKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  const add = (
    <Button small onClick={() => setEdited("new")}>
      <Icon name="plus" className="size-3.5" />
      {text.addRoute}
    </Button>
  );
  return (
    <Section title={text.routes} actions={add}>
      <Loaded query={query} rows={2}>
        {(routes) =>
          routes.length === 0 ? (
            <p className="px-4 pb-4 text-sm text-dim sm:px-6">{text.noRoutes}</p>
          ) : (
            <Table label={text.routes} columns={text.routeColumns}>
              {routes.map((route) => (
                <Row key={route.id}>
                  <Cell className="font-medium">{route.id}</Cell>
                  <Cell className="text-dim">
                    {leadsTo(route)} {route.problem !== undefined && <Badge tone="warn">{route.problem}</Badge>}
                  </Cell>
                  <Cell className="text-dim">
                    <SourceNote source={route.source} line={route.line} />
                  </Cell>
                  <Cell className="text-right">
                    {route.source === "storage" && (
                      <span className="inline-flex gap-2">
                        <Button small onClick={() => setEdited(route)}>
                          {words.common.edit}
                        </Button>
                        <Button small look="danger" onClick={() => setRemoved(route.id)}>
                          {text.deleteRoute}
                        </Button>
                      </span>
                    )}
                  </Cell>
                </Row>
              ))}
            </Table>
          )
        }
      </Loaded>
      {edited !== null && (
        <RouteDialog
          route={edited === "new" ? null : edited}
          models={models}
          routes={query.data ?? []}
          onClose={() => setEdited(null)}
          onSaved={async (id) => {
            await refresh();
            notify(text.saved(id));
          }}
        />
      )}
      {removed !== null && (
        <Confirm
          open
          onClose={() => setRemoved(null)}
          title={text.removeTitle(removed)}
          action={text.deleteRoute}
          act={async () => {
            await answerOf(api.DELETE("/api/admin/routes/{id}", { params: { path: { id: removed } } }));
            await refresh();
          }}
        >
          {text.removeMore}
        </Confirm>
      )}
    </Section>
  );
}

function leadsTo({ alias, strategy, targets }: Route): string {
  if (alias !== undefined) return text.alias(alias);
  const names = targets?.map((target) => (typeof target === "string" ? target : target.model)) ?? [];
  return text.policy(strategy ?? "", names.join(", "));
}
