import { useMutation } from "@tanstack/react-query";
import type { DragEvent, KeyboardEvent } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { SearchBackend } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { classNames } from "../../components/class-names.ts";
import { ErrorNote } from "../../components/error-note.tsx";
import { HealthStrip } from "../../components/health-strip.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Ago } from "../../components/values.tsx";
import { milliseconds } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { HealthBadge } from "./health-badge.tsx";

const text = words.backends;

export interface BackendActions {
  readonly edit: (backend: SearchBackend) => void;
  readonly toggle: (backend: SearchBackend) => void;
  readonly remove: (backend: SearchBackend) => void;
}

/** How a row is moved: by one place, or by dragging. */
export interface RowOrder {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isOver: boolean;
  readonly move: (step: 1 | -1) => void;
  readonly drag: {
    readonly onDragStart: (event: DragEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
    readonly onDragEnd: () => void;
  };
}

interface BackendRowProps {
  readonly backend: SearchBackend;
  readonly actions: BackendActions;
  /** Null for one of the configuration. */
  readonly order: RowOrder | null;
}

/** One search backend: how it does, what it costs, and what can be done. */
export function BackendRow({ backend, actions, order }: BackendRowProps) {
  const { id, health, last_error: lastError } = backend;
  const name = backend.name ?? id;
  const test = useMutation({
    mutationFn: () => {
      const params = { path: { id } };
      return answerOf(api.POST("/api/admin/search-backends/{id}/test", { params, body: {} }));
    },
  });
  const listen = (event: KeyboardEvent) => {
    const step = event.altKey ? { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key] : undefined;
    if (step === undefined || !order) return;
    event.preventDefault();
    order.move(step);
  };
  return (
    <li
      {...(order && { ...order.drag, draggable: true })}
      onKeyDown={listen}
      className={classNames(
        "border-b border-line px-4 py-3 last:border-b-0 sm:px-6",
        order?.isOver === true && "bg-accent-soft",
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {order ? (
          <span className="cursor-grab text-faint max-sm:hidden" title={text.drag}>
            <Icon name="grip" />
          </span>
        ) : (
          <span className="text-faint" title={words.common.lockedByConfig}>
            <Icon name="lock" />
          </span>
        )}
        <div className="min-w-40 flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="truncate font-medium">{name}</span>
            <Badge>{backend.provider}</Badge>
            <HealthBadge backend={backend} />
          </p>
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-dim">
            <span>{text.priority(backend.priority ?? 1)}</span>
            {backend.line !== null && <span>{text.atLine(backend.line)}</span>}
            <span>{priceOf(backend)}</span>
            <span>{typeof health?.latency_ms === "number" ? milliseconds(health.latency_ms) : text.noCall}</span>
            {backend.api_key_hint !== null && <span className="font-mono">{backend.api_key_hint}</span>}
          </p>
        </div>
        <HealthStrip history={health?.history ?? null} className="w-full sm:w-72" />
        <Button small busy={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? text.testing : text.test}
        </Button>
        {order && (
          <>
            <IconButton label={text.up(name)} disabled={order.isFirst} onClick={() => order.move(-1)}>
              <Icon name="up" className="size-3.5" />
            </IconButton>
            <IconButton label={text.down(name)} disabled={order.isLast} onClick={() => order.move(1)}>
              <Icon name="down" className="size-3.5" />
            </IconButton>
            <Menu
              label={text.actions(name)}
              items={[
                { label: words.common.edit, act: () => actions.edit(backend) },
                { label: backend.enabled === false ? text.enable : text.disable, act: () => actions.toggle(backend) },
                { label: words.common.delete, act: () => actions.remove(backend), danger: true },
              ]}
            />
          </>
        )}
        {!order && <span className="w-[6.75rem] max-sm:hidden" />}
      </div>
      {backend.problem !== null && <p className="mt-1 text-xs text-warn">{backend.problem}</p>}
      {lastError && (
        <p className="mt-1 text-xs wrap-anywhere text-bad">
          {text.lastError}: {[lastError.class, lastError.message].filter(Boolean).join(", ")} (<Ago at={lastError.at} />
          )
        </p>
      )}
      <div aria-live="polite">
        {test.data && (
          <p className={classNames("mt-1 text-xs wrap-anywhere", test.data.ok ? "text-good" : "text-bad")}>
            {test.data.ok
              ? text.works(milliseconds(test.data.latency_ms), test.data.results ?? 0)
              : text.fails(reasonOf(test.data.error), milliseconds(test.data.latency_ms))}
          </p>
        )}
        {test.error && <ErrorNote error={test.error} className="mt-2" />}
      </div>
    </li>
  );
}

function priceOf({ cost, search_price: price }: SearchBackend): string {
  if (cost === "provider") return text.providerPrice;
  return price === null || price === undefined ? text.noPrice : text.price(String(price));
}

function reasonOf(
  error: { readonly class: string; readonly status: number | null; readonly message: string | null } | null,
) {
  return [error?.class, error?.status, error?.message].filter(Boolean).join(", ");
}
