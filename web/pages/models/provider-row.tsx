import { useMutation } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";
import type { Provider } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { classNames } from "../../components/class-names.ts";
import { ErrorNote } from "../../components/error-note.tsx";
import { HealthStrip } from "../../components/health-strip.tsx";
import { Menu } from "../../components/menu.tsx";
import { Ago } from "../../components/values.tsx";
import { milliseconds } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { SourceNote } from "./source-note.tsx";

const text = words.models;

const tones: Readonly<Record<NonNullable<Provider["health"]>["status"], Tone>> = {
  healthy: "good",
  degraded: "warn",
  unhealthy: "bad",
};

interface ProviderRowProps {
  readonly provider: Provider;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

/** One provider: how its targets do, how it is reached, and what can be done. */
export function ProviderRow({ provider, onEdit, onRemove }: ProviderRowProps) {
  const { id, health, source, line } = provider;
  const test = useMutation({
    mutationFn: () => answerOf(api.POST("/api/admin/providers/{id}/test", { params: { path: { id } }, body: {} })),
  });
  const lastError = health?.last_error ?? null;
  return (
    <li className="border-b border-line px-4 py-3 last:border-b-0 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-48 flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="truncate font-medium">{id}</span>
            {provider.dialects?.map((dialect) => (
              <Badge key={dialect}>{dialect}</Badge>
            ))}
            {health ? (
              <Badge tone={tones[health.status]}>{text.status[health.status]}</Badge>
            ) : (
              <Badge tone="warn">{text.notInForce}</Badge>
            )}
          </p>
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-dim">
            <SourceNote source={source} line={line} />
            <span className="wrap-anywhere">{provider.base_url}</span>
            {provider.api_key_hint !== null ? (
              <span className="font-mono">{provider.api_key_hint}</span>
            ) : (
              <span>{provider.has_api_key ? text.hasKey : text.noKey}</span>
            )}
            <span title={provider.models.join(", ")}>{text.servesModels(provider.models_count)}</span>
          </p>
        </div>
        <HealthStrip history={health?.history ?? null} className="w-full sm:w-80" />
        <Button small busy={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? text.testing : text.test}
        </Button>
        {source === "config" ? (
          <span className="size-7 max-sm:hidden" />
        ) : (
          <Menu
            label={text.actions(id)}
            items={[
              { label: words.common.edit, act: onEdit },
              { label: words.common.delete, act: onRemove, danger: true },
            ]}
          />
        )}
      </div>
      {provider.problem !== null && <p className="mt-1 text-xs wrap-anywhere text-warn">{provider.problem}</p>}
      {lastError && (
        <p className="mt-1 text-xs wrap-anywhere text-bad">
          {text.lastError}: {[lastError.class, lastError.status, lastError.message].filter(Boolean).join(", ")} (
          <Ago at={lastError.at} />)
        </p>
      )}
      <div aria-live="polite">
        {test.data && (
          <p className={classNames("mt-1 text-xs wrap-anywhere", test.data.ok ? "text-good" : "text-bad")}>
            {test.data.ok
              ? text.lists(milliseconds(test.data.latency_ms), test.data.models?.count ?? 0)
              : text.fails(reasonOf(test.data.error), milliseconds(test.data.latency_ms))}
          </p>
        )}
        {test.error && <ErrorNote error={test.error} className="mt-2" />}
      </div>
    </li>
  );
}

/** What a test says of a failure. */
export function reasonOf(
  error: { readonly class: string; readonly status: number | null; readonly message: string | null } | null,
): string {
  return [error?.class, error?.status, error?.message].filter(Boolean).join(", ");
}
