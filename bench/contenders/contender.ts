import type { Answering } from "../payload/dialect.ts";
import type { RequestLedger } from "../records.ts";

/** A call as the load tools send it. */
export interface Call {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One way to the upstream, measured beside the others. */
export interface Contender {
  /** `direct`, `nginx`, `tollgate`, `before`, or the name of a peer. */
  readonly name: string;
  /** The process that serves; null if there is none, or none that this run was told of. */
  readonly pid: number | null;
  /** Counts the requests that must have left a record; null if this contender's records are not looked at. */
  readonly ledger: RequestLedger | null;
  /** The call that gets an answer of that kind. */
  call(answering: Answering): Call;
}

/** Figures by the contender's name; a contender that was skipped is missing. */
export type ByContender<Value> = Partial<Record<string, Value>>;

/** The names that a run gives itself. A peer may have none of them. */
export const ownNames = ["direct", "nginx", "tollgate", "before"] as const;
