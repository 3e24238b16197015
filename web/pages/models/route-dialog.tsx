import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { fieldError } from "../../api/field-error.ts";
import type { CatalogModel, Route } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { ListInput } from "../../components/list-input.tsx";
import { words } from "../../words/en.ts";
import { strategies } from "./model-form.ts";
import { RouteExplain } from "./route-explain.tsx";
import { formOf, type RouteForm, routeOf } from "./route-form.ts";
import { MemberFields } from "./member-fields.tsx";

const text = words.models.routeForm;

interface RouteDialogProps {
  /** Null adds a new one. */
  readonly route: Route | null;
  readonly models: readonly CatalogModel[];
  readonly routes: readonly Route[];
  readonly onClose: () => void;
  readonly onSaved: (id: string) => Promise<void>;
}

/** The form of a route, with where a request for it would go as it stands. */
export function RouteDialog({ route, models, routes, onClose, onSaved }: RouteDialogProps) {
  const [form, setForm] = useState(() => formOf(route, models[0]?.id ?? ""));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<RouteForm>) => setForm((before) => ({ ...before, ...part }));
  const id = form.id.trim();
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      await answerOf(api.PUT("/api/admin/routes/{id}", { params: { path: { id } }, body: routeOf(form, route) }));
      await onSaved(id);
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  const names = models.map((model) => model.id);
  // A policy has models alone, and aliases of them.
  const aliases = routes.flatMap((each) => (each.alias === undefined || each.id === id ? [] : each.id));
  const ends =
    form.kind === "alias"
      ? [...names, ...routes.map((each) => each.id).filter((each) => each !== id)]
      : [...names, ...aliases];
  return (
    <Dialog open onClose={onClose} wide title={route === null ? text.addTitle : text.editTitle(route.id)}>
      <form onSubmit={submit} className="grid gap-5 sm:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          {route === null && (
            <TextField
              label={text.id}
              hint={text.idHint}
              error={fieldError(error, "id")}
              autoFocus
              value={form.id}
              onChange={(event) => change({ id: event.target.value })}
            />
          )}
          <SelectField
            label={text.kind}
            hint={text.kindHint[form.kind]}
            value={form.kind}
            onChange={(event) => change({ kind: event.target.value === "policy" ? "policy" : "alias" })}
          >
            <option value="alias">{text.kinds.alias}</option>
            <option value="policy">{text.kinds.policy}</option>
          </SelectField>
          {form.kind === "alias" ? (
            <SelectField
              label={text.alias}
              error={fieldError(error, "alias")}
              value={form.alias}
              onChange={(event) => change({ alias: event.target.value })}
            >
              {[...new Set([form.alias, ...ends])].map((name) => (
                <option key={name}>{name}</option>
              ))}
            </SelectField>
          ) : (
            <>
              <SelectField
                label={text.strategy}
                error={fieldError(error, "strategy")}
                value={form.strategy}
                onChange={(event) => change({ strategy: event.target.value })}
              >
                {strategies.map((name) => (
                  <option key={name} value={name}>
                    {words.models.strategies[name]}
                  </option>
                ))}
              </SelectField>
              <MemberFields
                members={form.members}
                names={ends}
                error={fieldError(error, "targets")}
                onChange={(members) => change({ members })}
              />
              <ListInput
                label={text.requires}
                hint={text.requiresHint}
                error={fieldError(error, "requires")}
                values={form.requires}
                onChange={(requires) => change({ requires })}
                suggestions={["tools", "vision", "json_schema", "audio_input"]}
              />
              <div className="grid grid-cols-2 gap-3">
                <TextField
                  label={text.attempts}
                  error={fieldError(error, "retry")}
                  inputMode="numeric"
                  value={form.attempts}
                  onChange={(event) => change({ attempts: event.target.value })}
                />
                <TextField
                  label={text.hedge}
                  error={fieldError(error, "hedge_after_ms")}
                  inputMode="numeric"
                  value={form.hedgeAfterMs}
                  onChange={(event) => change({ hedgeAfterMs: event.target.value })}
                />
              </div>
            </>
          )}
        </div>
        <RouteExplain id={id || text.draft} route={routeOf(form, route)} />
        <div className="sm:col-span-2">
          {error !== null && <ErrorNote error={error} />}
          <DialogActions>
            <Button onClick={onClose}>{words.common.cancel}</Button>
            <Button type="submit" look="primary" busy={busy} disabled={id === ""}>
              {route === null ? text.add : words.common.save}
            </Button>
          </DialogActions>
        </div>
      </form>
    </Dialog>
  );
}
