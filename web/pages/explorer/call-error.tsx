import { ApiError } from "../../api/error.ts";
import { ErrorNote } from "../../components/error-note.tsx";
import { words } from "../../words/en.ts";

const advice: Readonly<Partial<Record<string, string>>> = words.explorer.advice;

/** An error of a call, and what to do about it. */
export function CallError({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const todo = error instanceof ApiError ? advice[error.code ?? (error.status === 0 ? "unreachable" : "")] : undefined;
  return (
    <div className="flex flex-col gap-1">
      <ErrorNote error={error} {...(retry && { retry })} />
      {todo !== undefined && <p className="text-xs text-dim">{todo}</p>}
    </div>
  );
}
