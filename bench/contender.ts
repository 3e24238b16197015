import type { Answering } from "./payload/dialect.ts";

/** A call as the load tools send it. */
export interface Call {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ContenderName = "direct" | "nginx" | "tollgate";

/** One way to the upstream, measured beside the others. */
export interface Contender {
  readonly name: ContenderName;
  /** The process that does the work; null for the direct way, which has none. */
  readonly pid: number | null;
  /** The call that gets an answer of that kind. */
  call(answering: Answering): Call;
}

/** Figures by contender; where one was skipped it is not there. */
export type ByContender<Value> = Partial<Record<ContenderName, Value>>;
