import { useMutation, useQuery } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";
import type { ModelDefinition } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { classNames } from "../../components/class-names.ts";
import { ErrorNote } from "../../components/error-note.tsx";
import { HealthStrip } from "../../components/health-strip.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Ago } from "../../components/values.tsx";
import { milliseconds } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { modelQuery } from "./catalog-queries.ts";
import { reasonOf } from "./provider-row.tsx";
import { SourceNote } from "./source-note.tsx";

const text = words.models;
const tones: Readonly<Record<Target["state"], Tone>> = { closed: "good", open: "bad", half_open: "warn" };

type Target = ModelDefinition["health"][number];

interface DefinitionProps {
  readonly id: string;
  readonly onEdit: (model: ModelDefinition) => void;
  readonly onRemove: (id: string) => void;
}

/** How a model is set: where, with which targets, how they do, and what can be done. */
export function Definition({ id, onEdit, onRemove }: DefinitionProps) {
  const query = useQuery(modelQuery(id));
  const test = useMutation({
    mutationFn: () => answerOf(api.POST("/api/admin/models/{id}/test", { params: { path: { id } } })),
  });
  return (
    <section>
      <h3 className="mb-2 text-xs font-semibold text-dim">{text.targetsOf}</h3>
      <Loaded query={query} rows={2}>
        {(model) => (
          <div className="flex flex-col gap-3">
            <p className="text-xs text-dim">
              <SourceNote source={model.source} line={model.line} />
            </p>
            {model.problem !== null && <p className="text-xs wrap-anywhere text-warn">{model.problem}</p>}
            <ol className="flex flex-col gap-3">
              {model.health.map((target, index) => (
                <TargetItem
                  key={index}
                  target={target}
                  tested={test.data?.data.find(
                    (each) => each.provider === target.provider && each.upstream_model === target.upstream_model,
                  )}
                />
              ))}
            </ol>
            <div className="flex flex-wrap gap-2">
              <Button small busy={test.isPending} onClick={() => test.mutate()} title={text.testModelHint}>
                {test.isPending ? text.testing : text.testModel}
              </Button>
              {model.source === "storage" && (
                <>
                  <Button small onClick={() => onEdit(model)}>
                    {words.common.edit}
                  </Button>
                  <Button small look="danger" onClick={() => onRemove(model.id)}>
                    {words.common.delete}
                  </Button>
                </>
              )}
            </div>
            {test.error && <ErrorNote error={test.error} />}
          </div>
        )}
      </Loaded>
    </section>
  );
}

interface TargetItemProps {
  readonly target: Target;
  readonly tested:
    | {
        readonly ok: boolean;
        readonly latency_ms: number;
        readonly error: Parameters<typeof reasonOf>[0];
      }
    | undefined;
}

function TargetItem({ target, tested }: TargetItemProps) {
  const { last_error: lastError, latency_ms: latency } = target;
  return (
    <li className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <span className="font-medium wrap-anywhere">{`${target.provider}/${target.upstream_model}`}</span>
        <Badge tone={tones[target.state]}>{text.circuit[target.state]}</Badge>
        {latency !== null && <span className="numeric text-xs text-dim">{milliseconds(latency)}</span>}
        {target.open_until !== null && (
          <span className="text-xs text-dim">
            <Ago at={target.open_until} />
          </span>
        )}
      </p>
      <HealthStrip history={target.history} />
      {lastError && (
        <p className="text-xs wrap-anywhere text-bad">
          {text.lastError}: {[lastError.class, lastError.status, lastError.message].filter(Boolean).join(", ")} (
          <Ago at={lastError.at} />)
        </p>
      )}
      {tested && (
        <p aria-live="polite" className={classNames("text-xs wrap-anywhere", tested.ok ? "text-good" : "text-bad")}>
          {tested.ok
            ? text.answers(milliseconds(tested.latency_ms))
            : text.fails(reasonOf(tested.error), milliseconds(tested.latency_ms))}
        </p>
      )}
    </li>
  );
}
