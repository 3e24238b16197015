import { useMutation } from "@tanstack/react-query";
import { explainRoute } from "../../api/explain.ts";
import type { RouteExplanation, UsageRecord } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { None } from "../../components/values.tsx";
import { exactMoney } from "../../format/money.ts";
import { milliseconds } from "../../format/number.ts";
import { words } from "../../words/en.ts";

const text = words.record;

interface RecordWhyProps {
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What served the request, if it is one that was made. */
  readonly served?: Served;
}

type Served = Pick<UsageRecord["routing"], "resolved_model" | "chose_provider">;

/** Asks the router about a request, and shows what it says. */
export function RecordWhy({ endpoint, body, served }: RecordWhyProps) {
  const asked = useMutation({
    mutationFn: () => explainRoute(endpoint, body),
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-xs text-faint">{text.whyMore}</p>
      {asked.data ? (
        <>
          {served && served.resolved_model !== null && <Comparison said={asked.data} served={served} />}
          <Explanation said={asked.data} />
        </>
      ) : (
        <div>
          <Button busy={asked.isPending} onClick={() => asked.mutate()}>
            {text.why}
          </Button>
        </div>
      )}
      {asked.error && <ErrorNote error={asked.error} retry={() => asked.mutate()} />}
    </div>
  );
}

/** Whether the request would be served as it was. */
function Comparison({ said, served }: { readonly said: RouteExplanation; readonly served: Served }) {
  const { resolved_model: model, chose_provider: provider } = served;
  // A provider that is hidden is null in the record.
  const isSame = said.chosen?.model === model && (provider === null || said.chosen.provider === provider);
  const name = [model, provider].filter(Boolean).join(" at ");
  return <p className="text-sm text-dim">{isSame ? text.sameChoice : text.otherChoice(name)}</p>;
}

/** What the router says of a request. */
export function Explanation({ said }: { readonly said: RouteExplanation }) {
  return (
    <div className="flex flex-col gap-2 text-sm">
      {said.chosen ? (
        <p>
          {text.chosen} <strong>{[said.chosen.model, said.chosen.provider].filter(Boolean).join(" at ")}</strong>{" "}
          <Badge>{said.strategy_name}</Badge>
        </p>
      ) : (
        <p className="text-bad">{text.nowhere}</p>
      )}
      <ol className="flex flex-col gap-1">
        {said.candidates.map(
          ({ model, provider, state, latency_ms: latency, estimated_amount_microusd: amount }, index) => (
            <li key={index} className="flex items-center gap-2 border-t border-line pt-1">
              <span className="numeric text-xs text-faint">{index + 1}</span>
              <span className="min-w-0 flex-1 wrap-anywhere">{[model, provider].filter(Boolean).join(" at ")}</span>
              <Badge tone={state === "closed" ? "good" : "warn"}>{state.replace("_", " ")}</Badge>
              <span className="numeric w-16 text-right text-xs text-dim">
                {latency === null ? <None /> : milliseconds(latency)}
              </span>
              <span className="numeric w-20 text-right text-xs text-dim">
                {amount === null ? <None /> : exactMoney(amount)}
              </span>
            </li>
          ),
        )}
      </ol>
      {said.excluded.length > 0 && (
        <ul className="flex flex-col gap-1 text-dim">
          {said.excluded.map(({ model, provider, reason }, index) => (
            <li key={index} className="border-t border-line pt-1">
              {[model, provider].filter(Boolean).join(" at ")}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
