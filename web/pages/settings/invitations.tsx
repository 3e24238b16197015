import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/transport.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { notify } from "../../components/toast.tsx";
import { Ago } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { invitationsQuery } from "./console-users.ts";

const text = words.settings;

/** The links that can still be used, for owners. Each can be revoked. */
export function Invitations() {
  const query = useQuery(invitationsQuery);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const revoke = async (id: string) => {
    setError(null);
    try {
      await ask("DELETE", `/console/invitations/${encodeURIComponent(id)}`);
      notify(text.revoked);
    } catch (caught) {
      setError(caught);
    }
    // Also after an error: the link may have been used or expired.
    await queries.invalidateQueries({ queryKey: invitationsQuery.queryKey });
  };
  return (
    <Section title={text.invitations}>
      {error !== null && <ErrorNote error={error} className="m-4" />}
      <Loaded query={query} rows={1}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className="px-4 pb-4 text-sm text-dim sm:px-6">{text.noInvitations}</p>
          ) : (
            <Table label={text.invitations} columns={text.invitationColumns}>
              {invitations.map((invitation) => (
                <Row key={invitation.id}>
                  <Cell>{text.invitationKinds[invitation.kind]}</Cell>
                  <Cell className="text-dim">{invitation.email}</Cell>
                  <Cell className="text-dim">{words.roles[invitation.role]}</Cell>
                  <Cell className="text-dim">
                    <Ago at={invitation.created_at} />
                  </Cell>
                  <Cell className="text-dim">
                    <Ago at={invitation.expires_at} />
                  </Cell>
                  <Cell className="text-right">
                    <Button
                      small
                      look="danger"
                      aria-label={text.revokeName(invitation.email)}
                      onClick={() => void revoke(invitation.id)}
                    >
                      {text.revoke}
                    </Button>
                  </Cell>
                </Row>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Section>
  );
}
