import { ApiError } from "../api/error.ts";
import { words } from "../words/en.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { CopyText } from "./copy.tsx";

interface ErrorNoteProps {
  readonly error: unknown;
  readonly retry?: () => void;
  readonly className?: string;
}

/** An error as it came, with the id by which it is found in the log. */
export function ErrorNote({ error, retry, className }: ErrorNoteProps) {
  const message = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className={classNames("rounded-md border border-line bg-bad-soft px-3 py-2 text-sm", className)}>
      <p className="text-bad wrap-anywhere">{message}</p>
      {(requestId !== null || retry) && (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-dim">
          {requestId !== null && (
            <span>
              {words.common.requestId} <CopyText text={requestId} />
            </span>
          )}
          {retry && (
            <Button small onClick={retry}>
              {words.common.tryAgain}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
