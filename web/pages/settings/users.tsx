import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/transport.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Menu } from "../../components/menu.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { None } from "../../components/values.tsx";
import type { User } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { invitationsQuery, sessionsQuery, usersQuery } from "./console-users.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { LinkDialog, type MadeLink } from "./link-dialog.tsx";
import { RemoveUser } from "./remove-user.tsx";

const text = words.settings;

/** The users of the console, for owners. */
export function Users() {
  const query = useQuery(usersQuery);
  const queries = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<User | null>(null);
  const [link, setLink] = useState<MadeLink | null>(null);
  const [error, setError] = useState<unknown>(null);
  const refresh = () =>
    Promise.all(
      [usersQuery, invitationsQuery, sessionsQuery].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
    );
  const show = (made: MadeLink) => {
    setLink(made);
    void refresh();
  };
  const pathOf = ({ id }: User) => `/console/users/${encodeURIComponent(id)}`;
  const run = (act: Promise<unknown>) => {
    setError(null);
    act.then(refresh, setError).catch(setError);
  };
  const menu = (user: User) => [
    ...(["owner", "operator"] as const)
      .filter((role) => role !== user.role)
      .map((role) => ({
        label: text.makeRole(words.roles[role]),
        act: () => run(ask("PATCH", pathOf(user), { role, account_id: null })),
      })),
    {
      label: text.reset,
      act: () =>
        run(
          ask<{ link: string }>("POST", `${pathOf(user)}/reset`, {}).then((answer) =>
            setLink({ kind: "reset", link: answer.link }),
          ),
        ),
    },
    { label: text.remove, danger: true, act: () => setRemoved(user) },
  ];
  return (
    <Section
      title={text.users}
      actions={
        <Button small onClick={() => setInviting(true)}>
          {text.invite}
        </Button>
      }
    >
      {error !== null && <ErrorNote error={error} className="m-4" />}
      <Loaded query={query} rows={2}>
        {(users) => (
          <Table label={text.users} columns={text.userColumns}>
            {users.map((user) => (
              <Row key={user.id}>
                <Cell className="font-medium">{user.name}</Cell>
                <Cell className="text-dim">{user.email}</Cell>
                <Cell>
                  <Badge tone={user.role === "owner" ? "accent" : "plain"}>{words.roles[user.role]}</Badge>
                </Cell>
                <Cell className="text-dim">{user.account_id ?? <None />}</Cell>
                <Cell className="w-10 text-right">
                  <Menu label={text.actions(user.name)} items={menu(user)} />
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      </Loaded>
      {isInviting && (
        <InviteDialog onClose={() => setInviting(false)} onLink={(made) => show({ kind: "invitation", link: made })} />
      )}
      {link !== null && <LinkDialog made={link} onClose={() => setLink(null)} />}
      {removed && <RemoveUser user={removed} onClose={() => setRemoved(null)} onRemoved={refresh} />}
    </Section>
  );
}
