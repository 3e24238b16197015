import { tokensOf } from "../metering/tokens.ts";
import type { Usage } from "../metering/usage.ts";
import { markupMicrousd } from "./markup.ts";
import { amountMicrousd } from "./money.ts";
import type { LineItem } from "./prices/prices.ts";

/** Something in the book that does not agree. Amounts are whole micro-USD. */
export interface Finding {
  readonly kind:
    | "balance"
    | "held"
    | "leased"
    | "overdrawn"
    | "unknown_account"
    | "charge"
    | "hold"
    | "line_items"
    | "tokens"
    | "budget"
    | "missing_record"
    | "rollup";
  /** The account, request, entry, budget or rollup at fault; a rollup by its names. */
  readonly subject: string;
  readonly message: string;
}

/** What an audit has looked at. */
export interface AuditCounts {
  readonly accounts: number;
  readonly entries: number;
  readonly records: number;
}

/** Is told what an audit finds, and how far it is. */
export interface AuditObserver {
  readonly onFinding: (finding: Finding) => void;
  /** Called after each of the parts that the book was divided into; more may be added while it runs. */
  readonly onProgress?: (done: number, parts: number) => void;
}

/** Checks the whole book as it is at one moment. Implemented by `src/storage`. Memory is bounded, whatever there is. */
export interface Auditor {
  /** Audits in this process, whose event loop it may hold. For commands. */
  audit(onFinding: AuditObserver["onFinding"]): Promise<AuditCounts>;
  /** Audits in a process of its own that yields to this one. */
  auditInBackground(observer: BackgroundObserver): BackgroundAudit;
}

/** Is told what an audit in another process finds, some times a second. */
export interface BackgroundObserver {
  /** @param count of findings since the last call. Of the first 1,000 of an audit, each is given. */
  onFindings(findings: readonly Finding[], count: number): void;
  onProgress(done: number, parts: number): void;
}

/** An audit that runs in a process of its own. */
export interface BackgroundAudit {
  /** Rejects if the audit could not be finished, or was stopped. */
  readonly counts: Promise<AuditCounts>;
  /** Ends the process at once. */
  stop(): void;
}

/** An account's row beside what its entries and leases come to; `id` is null if entries name an account that is not there. */
export interface AccountFacts {
  readonly id: string | null;
  readonly entryAccount: string | null;
  readonly mode: string | null;
  readonly balance: number;
  readonly held: number;
  readonly leased: number;
  readonly entries: number;
  readonly entryBalance: number;
  readonly entryHeld: number;
  readonly leaseSum: number;
}

/** What does not agree in an account. */
export function accountFindings(facts: AccountFacts): Finding[] {
  const { id, mode, balance, held, leased } = facts;
  if (id === null) {
    const subject = String(facts.entryAccount);
    return [
      { kind: "unknown_account", subject, message: `${facts.entries} entries of an account that does not exist` },
    ];
  }
  const findings: Finding[] = [];
  const compare = (kind: Finding["kind"], kept: number, summed: number, what: string) => {
    if (kept !== summed)
      findings.push({ kind, subject: id, message: `${kind} is ${kept}, but ${what} sum to ${summed}` });
  };
  compare("balance", balance, facts.entryBalance, "its entries");
  compare("held", held, facts.entryHeld, "its holds and releases");
  compare("leased", leased, facts.leaseSum, "its leases");
  if (mode === "prepaid" && (balance < 0 || leased < 0 || balance < leased)) {
    const message = `a prepaid balance of ${balance} does not cover ${leased} on lease`;
    findings.push({ kind: "overdrawn", subject: id, message });
  }
  return findings;
}

/** A record beside its entries: the sums of its charge, and of its holds and releases. */
export interface EntryFacts {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly held: number;
  readonly charged: number;
  readonly entryHeld: number;
}

/** What the entries of a record should sum to. */
export function dueEntries({ status, amount, held }: Pick<EntryFacts, "status" | "amount" | "held">) {
  const isPending = status === "pending";
  return { charged: isPending ? 0 : -amount, entryHeld: isPending ? -held : 0 };
}

/** What does not agree between a record and its entries. */
export function entryFindings(facts: EntryFacts): Finding[] {
  const { id, charged, entryHeld } = facts;
  const due = dueEntries(facts);
  const findings: Finding[] = [];
  if (charged !== due.charged) {
    const message = `the record's amount is ${-due.charged}, its charge ${-charged}`;
    findings.push({ kind: "charge", subject: id, message });
  }
  if (entryHeld !== due.entryHeld) {
    const message = `the record holds ${-due.entryHeld}, its entries ${-entryHeld}`;
    findings.push({ kind: "hold", subject: id, message });
  }
  return findings;
}

/** A record by itself. */
export interface RecordFacts {
  readonly id: string;
  readonly amount: number;
  readonly held: number;
  readonly lineItems: readonly LineItem[];
  /** All tokens read and written, as lists and sums have them. */
  readonly tokens: number;
  readonly usage: Usage;
}

/** What does not agree in a record. */
export function recordFindings({ id, amount, held, lineItems, tokens, usage }: RecordFacts): readonly Finding[] {
  const findings: Finding[] = [];
  if (held > 0 && amount > held) {
    findings.push({ kind: "hold", subject: id, message: `the amount is ${amount}, but only ${held} were held for it` });
  }
  let lineSum = 0;
  for (const line of lineItems) {
    lineSum += line.amountMicrousd;
    const due = lineAmount(line);
    if (line.amountMicrousd === due) continue;
    const message = `the line '${line.dimension}' is ${line.amountMicrousd}, but comes to ${due}`;
    findings.push({ kind: "line_items", subject: id, message });
  }
  if (lineSum !== amount) {
    findings.push({ kind: "line_items", subject: id, message: `the amount is ${amount}, its lines sum to ${lineSum}` });
  }
  if (tokens !== tokensOf(usage)) {
    const message = `the record counts ${tokens} tokens, its dimensions ${tokensOf(usage)}`;
    findings.push({ kind: "tokens", subject: id, message });
  }
  return findings;
}

/** A counter of a budget beside what the records of its period, and its holds, come to. */
export interface BudgetCounterFacts {
  readonly budget: string;
  readonly subject: string;
  readonly spent: number;
  readonly held: number;
  readonly recordSpent: number;
  readonly holdSum: number;
}

/** What does not agree in a counter of a budget. */
export function budgetFindings({ budget, subject, spent, held, recordSpent, holdSum }: BudgetCounterFacts): Finding[] {
  const findings: Finding[] = [];
  const whose = subject === "" ? "" : ` of ${JSON.stringify(subject)}`;
  if (spent !== recordSpent) {
    const message = `the counter${whose} is ${spent}, but the records of its period sum to ${recordSpent}`;
    findings.push({ kind: "budget", subject: budget, message });
  }
  if (held !== holdSum) {
    const message = `the counter${whose} holds ${held}, but its holds sum to ${holdSum}`;
    findings.push({ kind: "budget", subject: budget, message });
  }
  return findings;
}

/** What a line comes to by its quantity and price; null if these are none. */
function lineAmount({ dimension, quantity, unitMicrousd, unitSize }: LineItem): number | null {
  try {
    return dimension === "markup"
      ? markupMicrousd(quantity, unitMicrousd)
      : amountMicrousd(quantity, unitMicrousd, unitSize);
  } catch {
    return null;
  }
}
