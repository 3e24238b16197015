import { SelectField, TextField } from "../../components/field.tsx";

interface OptionFieldProps {
  readonly label: string;
  /** The values that the model lists; any text if it lists none. */
  readonly options: readonly string[];
  /** What the empty value means; without it there is none. */
  readonly unset?: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A parameter of a model: one of its values, or a text if it does not list them. */
export function OptionField({ label, options, unset, hint, value, onChange }: OptionFieldProps) {
  if (options.length === 0) {
    return (
      <TextField
        label={label}
        hint={hint}
        placeholder={unset}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <SelectField label={label} hint={hint} value={value} onChange={(event) => onChange(event.target.value)}>
      {unset !== undefined && <option value="">{unset}</option>}
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </SelectField>
  );
}

/** The value as it is sent: the first option if it is none of them. */
export function optionOf(value: string, options: readonly string[], usual: string): string {
  if (options.length === 0 || options.includes(value)) return value || usual;
  return options.includes(usual) ? usual : (options[0] ?? usual);
}
