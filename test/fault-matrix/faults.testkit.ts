import type { DialectName } from "../dialects/names.testkit.ts";

/** The form of the answer. */
export type Form = "json" | "stream";

export const forms: readonly Form[] = ["json", "stream"];

interface FaultFacts {
  readonly name: string;
  /** A description for docs/fault-matrix.md. */
  readonly what: string;
  /** Why a form does not have this fault. */
  readonly not?: Partial<Readonly<Record<Form, string>>>;
}

const wholeBody = "a JSON answer is one document, in which no event can go wrong";

/** All faults, of providers and callers. `upstreams.ts` has their causes. */
export const faults = [
  { name: "none", what: "A healthy target, for comparison." },

  { name: "connection refused", what: "Nothing listens at the provider's port." },
  { name: "reset", what: "The connection is reset (TCP RST) in place of an answer." },
  { name: "closed", what: "The connection is closed in good order in place of an answer." },
  { name: "TLS failure", what: "The address says `https`, and the port does not speak TLS." },
  { name: "DNS failure", what: "The provider's host name does not exist." },
  { name: "slow connect", what: "The connection is not accepted within `connect_ms`." },
  { name: "silence", what: "The request is taken, and nothing is answered within `first_byte_ms`." },
  { name: "slow headers", what: "The headers come in pieces, and are not whole within `first_byte_ms`." },

  { name: "400", what: "The provider refuses the request as invalid." },
  { name: "401", what: "The provider refuses the gateway's credential." },
  { name: "402", what: "The gateway's account at the provider is empty." },
  { name: "403", what: "The gateway's credential may not do this." },
  { name: "404", what: "The provider does not know the model." },
  { name: "408", what: "The provider says that the request took too long." },
  { name: "409", what: "The provider says that the request is in conflict with another." },
  { name: "413", what: "The request is too large for the provider." },
  { name: "422", what: "The provider cannot process the request." },
  { name: "429 with a wait", what: "Too many requests, and `Retry-After: 30`." },
  { name: "429 without a wait", what: "Too many requests, and no word on how long to wait." },
  { name: "500", what: "An error of the provider's." },
  { name: "502", what: "The same, of a proxy in front of it." },
  { name: "503", what: "The provider is overloaded." },
  { name: "504", what: "A proxy of the provider's gave up waiting." },
  { name: "529", what: "The provider is overloaded, in Anthropic's number." },
  { name: "HTML error page", what: "A proxy's page with HTTP 502 in place of the provider's own error." },

  { name: "HTML page with 200", what: "A page for people in place of an answer." },
  { name: "empty body", what: "HTTP 200 and nothing else." },
  {
    name: "truncated JSON",
    what: "The HTTP body is whole, and the document (of the first event) stops in its middle.",
  },
  { name: "200 with an error body", what: "HTTP 200, and the JSON says that it failed." },
  { name: "wrong content type", what: "A good answer, labelled `text/plain`." },
  { name: "error event first", what: "A stream whose first event is an error.", not: { json: wholeBody } },
  { name: "error event mid-stream", what: "An error event after good ones.", not: { json: wholeBody } },
  { name: "stall before the first byte", what: "Headers, and then nothing within `first_byte_ms`." },
  { name: "stall mid-stream", what: "The answer begins, and nothing more comes within `idle_ms`." },
  { name: "cut mid-stream", what: "The connection breaks in the middle of the answer." },
  {
    name: "end without a finish reason",
    what: "The stream ends in good order, in the middle of the answer.",
    not: { json: "a body that ends early is no document: see truncated JSON" },
  },
  {
    name: "no terminal event",
    what: "All of the answer, but not the event that ends a stream: `[DONE]`, `message_stop`, `response.completed`, Gemini's finish reason.",
    not: { json: wholeBody },
  },

  { name: "caller leaves before the headers", what: "While the provider has answered nothing." },
  { name: "caller leaves before the first byte", what: "While the provider has sent no more than headers." },
  { name: "caller leaves mid-stream", what: "While the answer is on its way." },
  {
    name: "slow reader",
    what: "The caller takes nothing for longer than `idle_ms`, and then all of a large answer.",
  },
] as const satisfies readonly FaultFacts[];

export type FaultName = (typeof faults)[number]["name"];

/** One request of the matrix. */
export interface Cell {
  readonly fault: FaultName;
  readonly form: Form;
  /** The dialect of both targets. */
  readonly dialect: DialectName;
  /** The first has the fault; the second, if there is one, is healthy. */
  readonly targets: 1 | 2;
  /** The public model of this cell; its providers and upstream models are named after it. */
  readonly id: string;
}

/** Why a fault has no cells in a form; null if it has. */
export function whyNot(fault: FaultName, form: Form): string | null {
  const facts: FaultFacts | undefined = faults.find(({ name }) => name === fault);
  return facts?.not?.[form] ?? null;
}

/** All cells of the matrix, each with its own targets, so that they can run concurrently with separate health. */
export function cellsOf(dialects: readonly DialectName[]): readonly Cell[] {
  const cells: Cell[] = [];
  for (const { name: fault } of faults) {
    for (const form of forms.filter((each) => whyNot(fault, each) === null)) {
      for (const dialect of dialects) {
        for (const targets of [1, 2] as const) {
          cells.push({ fault, form, dialect, targets, id: `cell-${cells.length + 1}` });
        }
      }
    }
  }
  return cells;
}
