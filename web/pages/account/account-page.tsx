import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answerOf, api } from "../../api/client.ts";
import type { OwnAccount } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { buttonClass } from "../../components/button.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, Money, None } from "../../components/values.tsx";
import { exactMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";
import { budgetScope, Spent } from "../accounts/budget-cells.tsx";

const text = words.account;

/** A member's own account: what is left of its balance and of its budgets. */
export function AccountPage() {
  const query = useQuery({ queryKey: ["own account"], queryFn: () => answerOf(api.GET("/api/account")) });
  return (
    <Page title={text.title} description={text.description}>
      <Loaded query={query} rows={4}>
        {(account) => (
          <>
            <Section title={text.balance}>
              <div className="flex flex-col items-start gap-4 px-4 pb-4 sm:px-6">
                <Balance account={account} />
                <Link to="/requests" className={buttonClass()}>
                  {text.showRequests}
                </Link>
              </div>
            </Section>
            <Section title={words.accounts.budgets}>
              <Budgets budgets={account.budgets} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Balance({ account }: { readonly account: OwnAccount }) {
  const { facts } = text;
  const isPrepaid = account.mode === "prepaid";
  return (
    <>
      <p>
        <span className="block text-xl font-semibold">
          <Money amount={isPrepaid ? account.available_microusd : -account.balance_microusd} />
        </span>
        <span className="text-sm text-dim">{isPrepaid ? text.available : text.spent}</span>
      </p>
      <Facts
        facts={[
          [facts.id, account.id],
          [facts.mode, text.modes[account.mode]],
          [facts.balance, exactMoney(account.balance_microusd)],
          [facts.held, exactMoney(account.held_microusd)],
        ]}
      />
    </>
  );
}

function Budgets({ budgets }: { readonly budgets: OwnAccount["budgets"] }) {
  if (budgets.length === 0) return <p className="px-4 pb-4 text-sm text-dim sm:px-6">{text.noBudgets}</p>;
  return (
    <Table label={words.accounts.budgets} columns={text.budgetColumns}>
      {budgets.map((budget) => (
        <Row key={budget.id}>
          <Cell className="font-medium">{budgetScope(budget.scope)}</Cell>
          <Cell className="text-dim">{words.accounts.periods[budget.per]}</Cell>
          <Cell>
            <Badge tone={budget.kind === "hard" ? "accent" : "plain"}>{words.accounts.budgetKinds[budget.kind]}</Badge>
          </Cell>
          <Cell right>
            {budget.spent_microusd === null ? (
              <None />
            ) : (
              <Spent amount={budget.amount_microusd} spent={budget.spent_microusd} />
            )}
          </Cell>
          <Cell right>
            <Money amount={budget.amount_microusd} />
          </Cell>
          <Cell className="text-dim">{budget.resets_at === null ? <None /> : <Ago at={budget.resets_at} />}</Cell>
        </Row>
      ))}
    </Table>
  );
}
