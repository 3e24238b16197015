import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { accountsQuery } from "../../api/accounts.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, Money, None } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { AccountDialog } from "./account-dialog.tsx";
import { AccountSheet } from "./account-sheet.tsx";
import { Budgets } from "./budgets.tsx";

const text = words.accounts;

/** The accounts with their balances, and the budgets. One account opens beside with its ledger. */
export function AccountsPage() {
  const query = useQuery(accountsQuery);
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const show = (part: { readonly id?: string }) => {
    setCreating(false);
    void navigate({ to: "/accounts", search: ({ range }) => ({ range, ...part }), replace: true });
  };
  const create = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" className="size-3.5" />
      {text.create}
    </Button>
  );
  return (
    <Page title={text.title} description={text.description} actions={create}>
      <Loaded query={query}>
        {(accounts) => (
          <Table label={text.title} columns={text.columns}>
            {accounts.map((account) => (
              <Row key={account.id} onClick={() => show({ id: account.id })}>
                <Cell>
                  <button
                    type="button"
                    className="font-medium hover:underline"
                    onClick={() => show({ id: account.id })}
                  >
                    {account.name}
                  </button>{" "}
                  {account.name !== account.id && <span className="text-xs text-faint">{account.id}</span>}
                </Cell>
                <Cell>
                  <Badge tone={account.mode === "prepaid" ? "accent" : "plain"}>{text.mode[account.mode]}</Badge>
                </Cell>
                <Cell right>
                  <Money amount={account.balance_microusd} />
                </Cell>
                <Cell right>{account.held_microusd === 0 ? <None /> : <Money amount={account.held_microusd} />}</Cell>
                <Cell right>
                  {account.mode === "prepaid" ? <Money amount={account.available_microusd} /> : <None />}
                </Cell>
                <Cell right>{account.markup_percent === 0 ? <None /> : `${account.markup_percent} %`}</Cell>
                <Cell className="text-dim">
                  {account.created_at === 0 ? <None /> : <Ago at={account.created_at} />}
                </Cell>
              </Row>
            ))}
          </Table>
        )}
      </Loaded>
      <div className="border-t border-line">
        <Budgets />
      </div>
      <AccountSheet account={query.data?.find(({ id }) => id === search["id"]) ?? null} onClose={() => show({})} />
      {(isCreating || search["new"] === "1") && <AccountDialog onClose={() => show({})} />}
    </Page>
  );
}
