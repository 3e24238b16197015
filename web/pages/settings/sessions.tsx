import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/transport.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { notify } from "../../components/toast.tsx";
import { Ago } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { sessionsQuery } from "./console-users.ts";

const text = words.settings;

/** The sessions that are open: one's own, or all for an owner. Each can be ended at once. */
export function Sessions() {
  const query = useQuery(sessionsQuery);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const end = async (id: string) => {
    setError(null);
    try {
      await ask("DELETE", `/console/sessions/${encodeURIComponent(id)}`);
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      notify(text.ended);
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <Section title={text.sessions}>
      {error !== null && <ErrorNote error={error} className="m-4" />}
      <Loaded query={query} rows={2}>
        {(sessions) => (
          <Table label={text.sessions} columns={text.sessionColumns}>
            {sessions.map((session) => (
              <Row key={session.id}>
                <Cell>{session.user.email}</Cell>
                <Cell className="max-w-72 text-dim">
                  {session.current && <Badge tone="good">{text.current}</Badge>}{" "}
                  <span title={session.user_agent ?? undefined}>
                    {[session.address, session.user_agent].filter(Boolean).join(", ")}
                  </span>
                </Cell>
                <Cell className="text-dim">
                  <Ago at={session.created_at} />
                </Cell>
                <Cell className="text-dim">
                  <Ago at={session.expires_at} />
                </Cell>
                <Cell className="text-right">
                  {!session.current && (
                    <Button small look="danger" onClick={() => void end(session.id)}>
                      {text.end}
                    </Button>
                  )}
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      </Loaded>
    </Section>
  );
}
