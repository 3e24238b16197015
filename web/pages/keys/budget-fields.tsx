import { fieldError } from "../../api/field-error.ts";
import type { NewBudget } from "../../api/types.ts";
import { SelectField, TextField } from "../../components/field.tsx";
import { readMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";
import type { KeyFieldsProps } from "./key-fields.tsx";

const text = words.keys.form;

/** How much the requests of a new key may cost. */
export function BudgetFields({ form, change, error }: KeyFieldsProps) {
  const isWrong = form.budget.trim() !== "" && readMoney(form.budget) === null;
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label={text.budget}
        hint={text.budgetHint}
        error={isWrong ? text.amount : fieldError(error, "amount_microusd")}
        inputMode="decimal"
        placeholder={text.noBudget}
        value={form.budget}
        onChange={(event) => change({ budget: event.target.value })}
      />
      <SelectField
        label={text.period}
        value={form.period}
        onChange={(event) => change({ period: event.target.value as NewBudget["per"] })}
      >
        {Object.entries(text.periods).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
