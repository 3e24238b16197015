import { useQueryClient } from "@tanstack/react-query";
import { type DragEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { SearchBackend } from "../../api/types.ts";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { type BackendActions, BackendRow } from "./backend-row.tsx";
import { backendsQuery } from "./backend-queries.ts";

interface StoredBackendsProps {
  readonly backends: readonly SearchBackend[];
  readonly actions: BackendActions;
  readonly onError: (error: unknown) => void;
}

/** The backends whose order can be changed: by dragging, by buttons, and by Alt with an arrow. */
export function StoredBackends({ backends, actions, onError }: StoredBackendsProps) {
  const queries = useQueryClient();
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const ordered = backends.toSorted((a, b) => (a.priority ?? 1) - (b.priority ?? 1) || (a.id < b.id ? -1 : 1));
  const ids = ordered.map(({ id }) => id);

  const move = async (id: string, to: number) => {
    const from = ids.indexOf(id);
    if (from < 0 || to < 0 || to >= ids.length || from === to) return;
    const next = ids.toSpliced(from, 1).toSpliced(to, 0, id);
    onError(null);
    try {
      const { data } = await answerOf(api.POST("/api/admin/search-backends/order", { body: { ids: next } }));
      queries.setQueryData(backendsQuery.queryKey, data);
      notify(words.backends.moved(ordered[from]?.name ?? id, to + 1));
    } catch (error) {
      onError(error);
    }
  };
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <ul>
      {ordered.map((backend, place) => {
        const { id } = backend;
        const order = {
          isFirst: place === 0,
          isLast: place === ordered.length - 1,
          isOver: over === id && dragged !== id,
          move: (step: 1 | -1) => void move(id, place + step),
          drag: {
            onDragStart: (event: DragEvent) => {
              event.dataTransfer.effectAllowed = "move";
              setDragged(id);
            },
            onDragOver: (event: DragEvent) => {
              if (dragged === null) return;
              event.preventDefault();
              setOver(id);
            },
            onDrop: (event: DragEvent) => {
              event.preventDefault();
              if (dragged !== null) void move(dragged, place);
              end();
            },
            onDragEnd: end,
          },
        };
        return <BackendRow key={id} backend={backend} actions={actions} order={order} />;
      })}
    </ul>
  );
}
