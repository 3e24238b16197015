import { useQuery } from "@tanstack/react-query";
import { accountsQuery } from "../../api/accounts.ts";
import { words } from "../../words/en.ts";

const text = words.jobs;

interface AccountFilterProps {
  /** Null for all. */
  readonly account: string | null;
  readonly onChange: (account: string | null) => void;
}

/** Chooses one account, or all. */
export function AccountFilter({ account, onChange }: AccountFilterProps) {
  const { data = [] } = useQuery(accountsQuery);
  const known = data.some(({ id }) => id === account);
  return (
    <select
      aria-label={text.account}
      value={account ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
      className="field w-36"
    >
      <option value="">{text.allAccounts}</option>
      {account !== null && !known && <option value={account}>{account}</option>}
      {data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
