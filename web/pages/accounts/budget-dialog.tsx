import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { NewBudget } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Dialog, DialogActions } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { readMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";

const text = words.accounts;

type Scope = keyof typeof text.scopes;

/** The form of a budget. */
export function BudgetDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [scope, setScope] = useState<Scope>("account");
  const [value, setValue] = useState("default");
  const [typed, setTyped] = useState("");
  const [per, setPer] = useState<NewBudget["per"]>("month");
  const [kind, setKind] = useState<"hard" | "soft">("hard");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const amount = readMoney(typed);
  const save = async (microusd: number) => {
    setBusy(true);
    setError(null);
    const body = { amount_microusd: microusd, per, kind, ...(scope !== "all" && { [scope]: value.trim() }) };
    try {
      await answerOf(api.POST("/api/admin/budgets", { body }));
      await queries.invalidateQueries({ queryKey: ["budgets"] });
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (amount !== null) void save(amount);
  };
  const options = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([option, name]) => (
      <option key={option} value={option}>
        {name}
      </option>
    ));
  return (
    <Dialog open onClose={onClose} title={text.budgetTitle} description={text.budgetsMore}>
      <form onSubmit={submit} className="grid gap-3 sm:grid-cols-2">
        <SelectField label={text.scope} value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
          {options(text.scopes)}
        </SelectField>
        <TextField
          label={text.scopeValue}
          disabled={scope === "all"}
          required={scope !== "all"}
          value={scope === "all" ? "" : value}
          onChange={(event) => setValue(event.target.value)}
        />
        <TextField
          label={text.amount}
          inputMode="decimal"
          autoFocus
          required
          error={typed !== "" && amount === null ? text.amountError : null}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <SelectField
          label={text.period}
          value={per}
          onChange={(event) => setPer(event.target.value as NewBudget["per"])}
        >
          {options(text.periods)}
        </SelectField>
        <SelectField label={text.kind} value={kind} onChange={(event) => setKind(event.target.value as typeof kind)}>
          {options(text.budgetKinds)}
        </SelectField>
        <div className="sm:col-span-2">
          {error !== null && <ErrorNote error={error} />}
          <DialogActions>
            <Button onClick={onClose}>{words.common.cancel}</Button>
            <Button type="submit" look="primary" busy={busy} disabled={amount === null}>
              {text.addBudget}
            </Button>
          </DialogActions>
        </div>
      </form>
    </Dialog>
  );
}
