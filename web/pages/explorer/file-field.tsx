import { Field } from "../../components/field.tsx";

interface FileFieldProps {
  readonly label: string;
  /** Media types, as an input takes them. */
  readonly accept: string;
  readonly onChange: (file: File | null) => void;
}

/** One file. */
export function FileField({ label, accept, onChange }: FileFieldProps) {
  return (
    <Field label={label}>
      {(named) => (
        <input
          {...named}
          type="file"
          accept={accept}
          onChange={(event) => onChange(event.target.files?.[0] ?? null)}
          className="w-full min-w-0 text-sm file:mr-3 file:rounded-md file:border file:border-line file:bg-surface file:px-3 file:py-1.5 file:text-sm"
        />
      )}
    </Field>
  );
}
