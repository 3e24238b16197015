import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "./class-names.ts";

interface FieldProps {
  readonly label: string;
  /** What to know about it. */
  readonly hint?: ReactNode;
  /** Why what was typed is wrong. */
  readonly error?: string | null;
  readonly className?: string;
  readonly children: (input: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}

/** A label with its input, and what is wrong with it. */
export function Field({ label, hint, error = null, className, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = error !== null || hint !== undefined;
  return (
    <div className={classNames("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="text-xs font-medium text-dim">
        {label}
      </label>
      {children({
        id,
        ...(hasNote && { "aria-describedby": noteId }),
        ...(error !== null && { "aria-invalid": true as const }),
      })}
      {hasNote && (
        <p id={noteId} className={classNames("text-xs", error === null ? "text-faint" : "text-bad")}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<FieldProps, "children"> & Omit<ComponentProps<"input">, "children">;

export function TextField({ label, hint, error, className, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error ?? null} {...(className !== undefined && { className })}>
      {(named) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...named}
          className={classNames("field", named["aria-invalid"] && "border-bad")}
        />
      )}
    </Field>
  );
}

type SelectFieldProps = Omit<FieldProps, "children"> & ComponentProps<"select">;

export function SelectField({ label, hint, error, className, children, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error ?? null} {...(className !== undefined && { className })}>
      {(named) => (
        <select {...select} {...named} className="field pr-1">
          {children}
        </select>
      )}
    </Field>
  );
}

type AreaFieldProps = Omit<FieldProps, "children"> &
  ComponentProps<"textarea"> & {
    /** It holds code. */
    readonly code?: boolean;
  };

export function AreaField({ label, hint, error, className, code = false, ...area }: AreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error ?? null} {...(className !== undefined && { className })}>
      {(named) => (
        <textarea
          {...area}
          {...named}
          className={classNames("field h-auto py-1.5 leading-5", (code || area.readOnly) && "font-mono text-xs")}
        />
      )}
    </Field>
  );
}
