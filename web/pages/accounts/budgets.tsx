import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, Money, None } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { budgetScope, Spent } from "./budget-cells.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";

const text = words.accounts;

/** The budgets with what was spent of them. */
export function Budgets() {
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ["budgets"],
    queryFn: async () => (await answerOf(api.GET("/api/admin/budgets", { params: { query: { limit: 1_000 } } }))).data,
  });
  const add = (
    <Button small onClick={() => setAdding(true)}>
      {text.addBudget}
    </Button>
  );
  return (
    <Section title={text.budgets} actions={add}>
      <Loaded query={query} rows={2}>
        {(budgets) =>
          budgets.length === 0 ? (
            <p className="px-4 pb-4 text-sm text-dim sm:px-6">{text.noBudgets}</p>
          ) : (
            <Table label={text.budgets} columns={text.budgetColumns}>
              {budgets.map((budget) => (
                <Row key={budget.id}>
                  <Cell className="font-medium">{budgetScope(budget.scope)}</Cell>
                  <Cell className="text-dim">{text.periods[budget.per]}</Cell>
                  <Cell>
                    <Badge tone={budget.kind === "hard" ? "accent" : "plain"}>{text.budgetKinds[budget.kind]}</Badge>
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
                  <Cell className="text-dim">
                    {budget.resets_at === null ? <None /> : <Ago at={budget.resets_at} />}
                  </Cell>
                  <Cell className="text-right">
                    <Button small look="danger" onClick={() => setRemoved(budget.id)}>
                      {text.removeBudget}
                    </Button>
                  </Cell>
                </Row>
              ))}
            </Table>
          )
        }
      </Loaded>
      {isAdding && <BudgetDialog onClose={() => setAdding(false)} />}
      {removed !== null && (
        <Confirm
          open
          onClose={() => setRemoved(null)}
          title={text.removeBudgetTitle}
          action={text.removeBudget}
          act={async () => {
            await answerOf(api.DELETE("/api/admin/budgets/{id}", { params: { path: { id: removed } } }));
            await queries.invalidateQueries({ queryKey: ["budgets"] });
          }}
        >
          {text.removeBudgetMore}
        </Confirm>
      )}
    </Section>
  );
}
