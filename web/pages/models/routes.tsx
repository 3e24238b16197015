import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { CatalogModel, Route } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { words } from "../../words/en.ts";

const text = words.models;

/** The routes of the configuration and of the storage. Aliases can be added here. */
export function Routes({ models }: { readonly models: readonly CatalogModel[] }) {
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ["routes"],
    queryFn: async () => (await answerOf(api.GET("/api/admin/routes"))).data as readonly Route[],
  });
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ["routes"] });
    await queries.invalidateQueries({ queryKey: ["catalog"] });
  };
  const add = (
    <Button small onClick={() => setAdding(true)}>
      {text.addAlias}
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
                  <Cell className="text-dim">{route.source === "config" ? text.fromConfig : text.fromStorage}</Cell>
                  <Cell className="text-right">
                    {route.source === "storage" && (
                      <Button small look="danger" onClick={() => setRemoved(route.id)}>
                        {text.deleteRoute}
                      </Button>
                    )}
                  </Cell>
                </Row>
              ))}
            </Table>
          )
        }
      </Loaded>
      {isAdding && <AliasDialog models={models} onClose={() => setAdding(false)} onSaved={refresh} />}
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

interface AliasDialogProps {
  readonly models: readonly CatalogModel[];
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}

function AliasDialog({ models, onClose, onSaved }: AliasDialogProps) {
  const [id, setId] = useState("");
  const [alias, setAlias] = useState(models[0]?.id ?? "");
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    try {
      await answerOf(api.PUT("/api/admin/routes/{id}", { params: { path: { id: id.trim() } }, body: { alias } }));
      await onSaved();
      onClose();
    } catch (caught) {
      setError(caught);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  return (
    <Dialog open onClose={onClose} title={text.addTitle}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={text.aliasName}
          required
          autoFocus
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <SelectField label={text.aliasTarget} value={alias} onChange={(event) => setAlias(event.target.value)}>
          {models.map((model) => (
            <option key={model.id}>{model.id}</option>
          ))}
        </SelectField>
        {error !== null && <ErrorNote error={error} />}
        <DialogActions>
          <Button type="submit" look="primary" disabled={id.trim() === ""}>
            {text.addAlias}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
