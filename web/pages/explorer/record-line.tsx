import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Money } from "../../components/values.tsx";
import { count, milliseconds } from "../../format/number.ts";
import { useUser } from "../../session/session.ts";
import { showRecord } from "../../usage/usage-api.ts";
import { words } from "../../words/en.ts";

const text = words.explorer;

/** What an answer has cost, and the way to its record. It is asked for with the session, not with the key. */
export function RecordLine({ requestId }: { readonly requestId: string }) {
  const user = useUser();
  const { data } = useQuery({ queryKey: ["record", requestId], queryFn: () => showRecord(user, requestId) });
  return (
    <p className="flex min-h-5 flex-wrap items-center gap-x-3 text-xs text-dim">
      {data && (
        <>
          <span className="font-medium text-ink">
            <Money amount={data.billing.amount_microusd} />
          </span>
          <span>{text.answeredIn(milliseconds(data.routing.latency_ms))}</span>
          {data.usage.total_tokens > 0 && (
            <span>{text.tokens(count(data.usage.prompt_tokens), count(data.usage.completion_tokens))}</span>
          )}
          <Link to="/requests" search={{ id: requestId }} className="text-accent hover:underline">
            {text.record}
          </Link>
        </>
      )}
    </p>
  );
}
