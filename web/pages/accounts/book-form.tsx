import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/choice.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { TextField } from "../../components/field.tsx";
import { notify } from "../../components/toast.tsx";
import { exactMoney, readMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";

const text = words.accounts;

/** Credits or debits an account. What is sent twice, by a lost answer, is booked once. */
export function BookForm({ accountId }: { readonly accountId: string }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<"credit" | "debit">("credit");
  const [typed, setTyped] = useState("");
  const [note, setNote] = useState("");
  const [attempt, setAttempt] = useState(() => newAttempt());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const amount = readMoney(typed);
  const book = async (microusd: number) => {
    setBusy(true);
    setError(null);
    const params = { path: { id: accountId } };
    const body = {
      kind,
      amount_microusd: microusd,
      idempotency_key: attempt,
      ...(note.trim() !== "" && { note: note.trim() }),
    };
    try {
      await answerOf(api.POST("/api/admin/accounts/{id}/entries", { params, body }));
      await queries.invalidateQueries({ queryKey: ["accounts"] });
      await queries.invalidateQueries({ queryKey: ["ledger", accountId] });
      notify(text.booked(exactMoney(microusd)));
      setTyped("");
      setNote("");
      setAttempt(newAttempt());
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (amount !== null && amount > 0) void book(amount);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded-md border border-line p-3">
      <Choice
        label={text.book}
        value={kind}
        options={[
          ["credit", text.bookKind.credit],
          ["debit", text.bookKind.debit],
        ]}
        onChange={setKind}
      />
      <div className="grid grid-cols-[8rem_1fr] gap-3">
        <TextField
          label={text.amount}
          inputMode="decimal"
          error={typed !== "" && amount === null ? text.amountError : null}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <TextField label={text.note} maxLength={200} value={note} onChange={(event) => setNote(event.target.value)} />
      </div>
      {error !== null && <ErrorNote error={error} />}
      <Button type="submit" busy={busy} disabled={amount === null || amount === 0}>
        {text.bookKind[kind]} {amount === null ? "" : exactMoney(amount)}
      </Button>
    </form>
  );
}

/** A name for one booking. Pages without TLS have no `crypto.randomUUID`. */
function newAttempt(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
