import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { buttonClass } from "../components/button.tsx";
import { ErrorNote } from "../components/error-note.tsx";
import { words } from "../words/en.ts";

/** In place of a page that cannot be shown. */
export function Crash({ error, reset }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-lg p-6">
      <h1 className="mb-3 text-lg font-semibold">{words.shell.crashed}</h1>
      <ErrorNote error={error} retry={reset} />
    </div>
  );
}

export function NotFound() {
  return (
    <main className="mx-auto max-w-lg p-6">
      <h1 className="mb-1 text-lg font-semibold">{words.shell.notFound}</h1>
      <p className="mb-4 text-sm text-dim">{words.shell.notFoundMore}</p>
      <Link to="/" className={buttonClass()}>
        {words.places.overview}
      </Link>
    </main>
  );
}
