import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answerOf, api } from "../../api/client.ts";
import type { Account } from "../../api/types.ts";
import { buttonClass } from "../../components/button.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { At, Money } from "../../components/values.tsx";
import { exactMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";
import { BodyLog } from "./body-log.tsx";
import { BookForm } from "./book-form.tsx";

const text = words.accounts;

interface AccountSheetProps {
  readonly account: Account | null;
  readonly onClose: () => void;
}

/** One account: its balance, booking, and the ledger that the balance is the sum of. */
export function AccountSheet({ account, onClose }: AccountSheetProps) {
  return (
    <Sheet open={account !== null} onClose={onClose} title={account?.name ?? ""}>
      {account && <AccountView key={account.id} account={account} />}
    </Sheet>
  );
}

function AccountView({ account }: { readonly account: Account }) {
  const [, , balance = "", held = "", available = ""] = text.columns.map((name) => name.replace(">", ""));
  return (
    <>
      <div className="flex flex-col gap-4 border-b border-line p-4">
        <Facts
          facts={[
            [text.id, account.id],
            [text.modeLabel, text.mode[account.mode]],
            [balance, exactMoney(account.balance_microusd)],
            [held, exactMoney(account.held_microusd)],
            [available, exactMoney(account.available_microusd)],
          ]}
        />
        <Link to="/requests" search={({ range }) => ({ range, account: account.id })} className={buttonClass()}>
          {text.showRequests}
        </Link>
        <BookForm accountId={account.id} />
      </div>
      <BodyLog accountId={account.id} />
      <h3 className="px-4 pt-4 pb-1 text-xs font-semibold text-dim sm:px-6">{text.ledger}</h3>
      <Ledger accountId={account.id} />
    </>
  );
}

function Ledger({ accountId }: { readonly accountId: string }) {
  const query = useInfiniteQuery({
    queryKey: ["ledger", accountId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => {
      const params = { path: { id: accountId }, query: pageParam === null ? {} : { after: pageParam } };
      return answerOf(api.GET("/api/admin/accounts/{id}/entries", { params }));
    },
    getNextPageParam: ({ next }) => (next === null ? null : String(next)),
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const entries = pages.flatMap(({ data }) => data);
        if (entries.length === 0) return <p className="p-4 text-sm text-dim sm:px-6">{text.ledgerEmpty}</p>;
        return (
          <>
            <Table label={text.ledger} columns={text.ledgerColumns}>
              {entries.map((entry) => (
                <Row key={entry.id}>
                  <Cell className="text-xs text-dim">
                    <At at={entry.created_at} />
                  </Cell>
                  <Cell>{text.kinds[entry.kind]}</Cell>
                  <Cell right className={entry.amount_microusd < 0 ? "text-bad" : "text-good"}>
                    <Money amount={entry.amount_microusd} />
                  </Cell>
                  <Cell className="max-w-40 text-xs text-dim">
                    {entry.request_id === null ? (
                      entry.note
                    ) : (
                      <Link to="/requests" search={{ id: entry.request_id }} className="font-mono hover:underline">
                        {entry.request_id}
                      </Link>
                    )}
                  </Cell>
                </Row>
              ))}
            </Table>
            <LoadMore query={query} />
          </>
        );
      }}
    </Loaded>
  );
}
