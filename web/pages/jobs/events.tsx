import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { WebhookEvent } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Json } from "../../components/code.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { notify } from "../../components/toast.tsx";
import { Ago, None } from "../../components/values.tsx";
import { count } from "../../format/number.ts";
import { words } from "../../words/en.ts";

const text = words.jobs;

/** What webhooks are told of. One that did not arrive can be sent again. */
export function Events() {
  const queries = useQueryClient();
  const [isUndelivered, setUndelivered] = useState(false);
  const [open, setOpen] = useState<WebhookEvent | null>(null);
  const [error, setError] = useState<unknown>(null);
  const query = useInfiniteQuery({
    queryKey: ["events", isUndelivered],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => {
      const asked = {
        ...(isUndelivered && { undelivered: "true" as const }),
        ...(pageParam !== null && { after: pageParam }),
      };
      return answerOf(api.GET("/api/admin/events", { params: { query: asked } }));
    },
    getNextPageParam: ({ next }) => (next === null ? null : String(next)),
  });
  const retry = async (id: string) => {
    setError(null);
    try {
      await answerOf(api.POST("/api/admin/events/{id}/replay", { params: { path: { id } } }));
      await queries.invalidateQueries({ queryKey: ["events"] });
      notify(text.retried(id));
    } catch (caught) {
      setError(caught);
    }
  };
  const filter = (
    <Check checked={isUndelivered} onChange={setUndelivered}>
      {text.undelivered}
    </Check>
  );
  return (
    <Section title={text.events} actions={filter}>
      {error !== null && <ErrorNote error={error} className="m-4" />}
      <Loaded query={query} rows={3}>
        {({ pages }) => {
          const events = pages.flatMap(({ data }) => data);
          if (events.length === 0) return <p className="px-4 pb-4 text-sm text-dim sm:px-6">{text.noEvents}</p>;
          return (
            <>
              <Table label={text.events} columns={text.eventColumns}>
                {events.map((event) => (
                  <Row key={event.id}>
                    <Cell>
                      <button type="button" className="font-medium hover:underline" onClick={() => setOpen(event)}>
                        {event.type}
                      </button>
                    </Cell>
                    <Cell className="text-dim">{event.account}</Cell>
                    <Cell className="text-dim">
                      <Ago at={event.created_at} />
                    </Cell>
                    <Cell className="text-dim">
                      {event.delivered_at === null ? (
                        <Badge tone="warn">{text.waiting}</Badge>
                      ) : (
                        <Ago at={event.delivered_at} />
                      )}
                    </Cell>
                    <Cell right>{event.failed_attempts === 0 ? <None /> : count(event.failed_attempts)}</Cell>
                    <Cell className="text-right">
                      <Button small onClick={() => void retry(event.id)}>
                        {text.retry}
                      </Button>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
      <Sheet open={open !== null} onClose={() => setOpen(null)} title={open?.type ?? ""}>
        {open && (
          <div className="p-4">
            <Json value={open} label={open.type} />
          </div>
        )}
      </Sheet>
    </Section>
  );
}
