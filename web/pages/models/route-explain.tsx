import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { RouteExplanation } from "../../api/types.ts";
import { ErrorNote } from "../../components/error-note.tsx";
import { words } from "../../words/en.ts";
import { Explanation } from "../requests/record-why.tsx";

const text = words.models.routeForm;

/** The router is asked once the form has been left alone for so long. */
const pauseMs = 250;
const request = { messages: [{ role: "user", content: "Hello!" }] };

interface RouteExplainProps {
  readonly id: string;
  /** As it stands in the form. */
  readonly route: Record<string, unknown>;
}

/** Where a short chat request would go if the route were saved as it is now. */
export function RouteExplain({ id, route }: RouteExplainProps) {
  const asked = useLater(JSON.stringify({ id, route, request }));
  const query = useQuery({
    queryKey: ["explain-route", asked],
    retry: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const body = JSON.parse(asked) as { id: string; route: Record<string, unknown>; request: typeof request };
      return (await answerOf(api.POST("/api/admin/explain-route", { body }))) as unknown as RouteExplanation;
    },
  });
  return (
    <section aria-live="polite" className="min-w-0 rounded-md border border-line bg-surface p-3">
      <h3 className="mb-2 text-xs font-semibold text-dim">{text.explain}</h3>
      {query.error ? <ErrorNote error={query.error} /> : query.data && <Explanation said={query.data} />}
    </section>
  );
}

/** A text once it has not changed for a moment. */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
}
