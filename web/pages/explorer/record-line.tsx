import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Icon } from "../../components/icon.tsx";
import { Money } from "../../components/values.tsx";
import { count } from "../../format/number.ts";
import { useUser } from "../../session/session.ts";
import { showRecord } from "../../usage/usage-api.ts";
import { words } from "../../words/en.ts";
import { RecordView } from "../requests/record-view.tsx";
import type { ServiceRequest } from "./call-service.ts";
import { CodeButton } from "./code-button.tsx";

const text = words.explorer;

interface RecordLineProps {
  /** Null if the request has none: it did not reach the gateway. */
  readonly requestId: string | null;
  readonly request: ServiceRequest | null;
  /** How long it took. */
  readonly children?: ReactNode;
  /** Asks the same again; null if it cannot be. */
  readonly retry?: (() => void) | null;
}

/** What an answer has cost, how long it took, the request as code, and its record below. */
export function RecordLine({ requestId, request, children, retry = null }: RecordLineProps) {
  const [isOpen, setOpen] = useState(false);
  const user = useUser();
  // It is asked for with the session, not with the key.
  const { data, error } = useQuery({
    queryKey: ["record", requestId],
    queryFn: () => showRecord(user, requestId ?? ""),
    enabled: requestId !== null,
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 1_000 : false),
  });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-dim">
        {data && (
          <span className="font-medium text-ink">
            <Money amount={data.billing.amount_microusd} />
          </span>
        )}
        {children}
        {data && data.usage.total_tokens > 0 && (
          <span>{text.tokens(count(data.usage.prompt_tokens), count(data.usage.completion_tokens))}</span>
        )}
        <span className="flex flex-wrap items-center">
          {requestId !== null && (
            <Button small look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {text.record}
            </Button>
          )}
          {request && <CodeButton request={request} />}
          {retry && (
            <Button small look="quiet" onClick={retry}>
              <Icon name="retry" className="size-3" />
              {text.retry}
            </Button>
          )}
        </span>
      </div>
      {isOpen && (
        <section
          aria-label={text.record}
          className="max-h-[70vh] overflow-auto rounded-md border border-line bg-raised"
        >
          {data && <RecordView record={data} />}
          {error !== null && <ErrorNote error={error} className="m-3" />}
        </section>
      )}
    </div>
  );
}
