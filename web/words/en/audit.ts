import { count } from "../../format/number.ts";

const some = (value: number, one: string, many: string) => `${count(value)} ${value === 1 ? one : many}`;

export const audit = {
  title: "Audit",
  description:
    "Checks every record against its line items and its ledger entries, every balance against its entries, and every sum against its records, to the micro-dollar.",
  run: "Run an audit",
  columns: ["Started", "By", "Result", ">Records", ">Ledger entries", ">Accounts", ">Took", ""],
  status: { running: "Running", completed: "Agrees", cancelled: "Cancelled", failed: "Failed" },
  findings: (found: number) => some(found, "finding", "findings"),
  running: "An audit is running",
  runningMore: "It runs in a process of its own with the lowest priority, and requests go on as usual.",
  progress: "Progress",
  dividing: "Dividing the book",
  cancel: "Cancel",
  cancelled: "The audit is cancelled",
  open: "Open",
  emptyTitle: "No audits yet",
  emptyMore:
    "An audit reads the whole book at one moment and says what does not agree. Ten million records take some minutes. The last 100 audits are kept.",
  detail: "Audit",
  facts: {
    started: "Started",
    by: "By",
    took: "Took",
    looked: "Looked at",
    error: "Error",
    id: "Id",
  },
  looked: (accounts: number, entries: number, records: number) =>
    `${some(accounts, "account", "accounts")}, ${some(entries, "ledger entry", "ledger entries")}, ${some(records, "record", "records")}`,
  sound: "Everything agrees.",
  soundSoFar: "Nothing found so far.",
  shownOf: (shown: number, found: number) => `The first ${count(shown)} of ${count(found)} findings are kept.`,
  showAll: (left: number) => `Show ${count(left)} more`,
  kinds: {
    balance: "Balance",
    held: "Held amount",
    leased: "Leased amount",
    overdrawn: "Overdrawn account",
    unknown_account: "Unknown account",
    charge: "Charge",
    hold: "Hold",
    line_items: "Line items",
    tokens: "Tokens",
    budget: "Budget",
    missing_record: "Missing record",
    rollup: "Sum",
  } as Readonly<Record<string, string>>,
  concerns: { request: "Open the record", account: "Open the account", budget: "Open the budgets" },
} as const;
