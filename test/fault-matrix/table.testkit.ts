import { dialectNames, type DialectName } from "../dialects/names.testkit.ts";
import { type Cell, type Form, faults, forms, whyNot } from "./faults.testkit.ts";
import type { Observation } from "./observation.testkit.ts";
import { markdownTable } from "../../scripts/markdown-table.ts";

/** A cell and its observation. */
export interface ObservedCell {
  readonly cell: Cell;
  readonly observation: Observation;
}

const introduction = `# What each fault does

Each row was observed: a caller of chat completions asked for a model whose first target, a provider of the dialect named, fails in
one way, and whose second, if there are two, is a healthy provider of the same dialect. _Calls_ are the requests that each of the
two received (\`?\` if none arrives to be counted), _attempts_ is the gateway's own count (\`X-Service-Attempts\`, and the
record's), _charge_ is whose usage the caller pays for, and _health_ is the first target's circuit and error rate afterwards. The page
is written by \`UPDATE_DOCS=1 npm test -- test/fault-matrix\`, where each cell is one real request and one test, which fails as well
where this page says anything else.
`;

const columns = ["fault", "answer", "provider", "caller sees", "calls", "attempts", "record", "charge", "health"];

/** The page, from all cells. */
export function faultMatrixPage(cells: readonly ObservedCell[]): string {
  const rows = (targets: Cell["targets"]) =>
    faults.flatMap(({ name }) =>
      rowsOf(
        name,
        cells.filter(({ cell }) => cell.fault === name && cell.targets === targets),
      ),
    );
  const absent = faults.flatMap(({ name }) =>
    forms.flatMap((form) => {
      const reason = whyNot(name, form);
      return reason === null ? [] : [[name, formName(form), reason]];
    }),
  );
  return [
    introduction,
    "## One target\n",
    markdownTable(columns, rows(1)),
    "## Two targets\n",
    markdownTable(columns, rows(2)),
    "## Not applicable\n",
    markdownTable(["fault", "answer", "why"], absent),
    "## What the faults are\n",
    markdownTable(
      ["fault", "what happens"],
      faults.map(({ name, what }) => [name, what]),
    ),
  ].join("\n");
}

/** The rows of one fault: forms and dialects with the same observation share a row. */
function rowsOf(fault: string, cells: readonly ObservedCell[]): string[][] {
  const groups = new Map<string, ObservedCell[]>();
  for (const each of cells) {
    const key = seen(each.observation).join("|");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const facts = group.slice(0, 1).flatMap(({ observation }) => seen(observation));
    const providers = forms.map((form) => providersIn(group, form));
    const isAlike = providers[0] === providers[1];
    const places = isAlike ? [["JSON, stream", providers[0] ?? ""]] : placesOf(providers);
    return places.map((place) => [fault, ...place, ...facts]);
  });
}

function placesOf(providers: readonly string[]): string[][] {
  return forms.map((form, index) => [formName(form), providers[index] ?? ""]).filter(([, names]) => names !== "");
}

function providersIn(group: readonly ObservedCell[], form: Form): string {
  const names: readonly DialectName[] = group.flatMap(({ cell }) => (cell.form === form ? [cell.dialect] : []));
  return names.length === dialectNames.length ? "all four" : names.join(", ");
}

function formName(form: Form): string {
  return form === "json" ? "JSON" : "stream";
}

/** The observation, as the cells of a row. */
function seen(observation: Observation): string[] {
  const { firstCalls, secondCalls, record, charge, health, attemptsHeader } = observation;
  const attempts =
    attemptsHeader === null || attemptsHeader === record.attempts
      ? String(record.attempts)
      : `${attemptsHeader}, but ${record.attempts} in the record`;
  return [
    callerSees(observation),
    `${firstCalls ?? "?"} + ${secondCalls}`,
    attempts,
    record.statusCode === observation.status ? record.status : `${record.status} (${record.statusCode})`,
    chargeWords[charge],
    `${health.state}, ${100 * health.errorRate} %${health.inFlight === 0 ? "" : `, ${health.inFlight} in flight`}`,
  ];
}

const chargeWords: Readonly<Record<Observation["charge"], string>> = {
  first: "the first's usage",
  second: "the second's usage",
  produced: "the produced text",
  nothing: "0",
  "a wrong amount": "a wrong amount",
};

function callerSees({ status, error, ending, heard, retryAfter, slowed }: Observation): string {
  const said = error === null ? "" : wordFor(error);
  const wait = retryAfter === null ? "" : `, Retry-After ${retryAfter}`;
  switch (ending) {
    case "whole":
      return `${status}, the ${heard}'s answer${slowed ? ", no faster than it is taken" : ""}`;
    case "error":
      return `${status} ${said}${wait}`;
    case "broken off":
      return `${status}, a part, error event ${said}`;
    case "left":
      return status === null ? "nothing" : `${status}, a part`;
    case "not as it should be":
      return ending;
  }
}

/** The code of an error; for an invalid request also the type, because the code is the provider's. */
function wordFor(error: string): string {
  const [type = "", code = ""] = error.split(" ");
  if (code === "null") return type;
  return type === "invalid_request_error" ? `${type}, code ${code}` : code;
}
