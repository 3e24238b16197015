import type { TestRecord } from "../gateway.testkit.ts";
import { ask, requestsTo } from "./caller.testkit.ts";
import type { Cell } from "./faults.testkit.ts";
import { costOf, fullCostOf, type MatrixGateway, targetName } from "./gateway.testkit.ts";
import type { HealthSeen, Observation, RecordSeen } from "./observation.testkit.ts";
import { until } from "../until.testkit.ts";
import { causeOf } from "./upstreams.testkit.ts";

/** Sends the cell's request and collects all observations. */
export async function observe(matrix: MatrixGateway, cell: Cell): Promise<Observation> {
  const heard = await ask(matrix, cell);
  const record = await recordOf(matrix, cell);
  // The provider sees the end of a cancelled call.
  await until(`no call of ${cell.id} is open`, () => {
    const calls = [...requestsTo(matrix, cell, "first"), ...requestsTo(matrix, cell, "second")];
    return calls.every(({ outcome }) => outcome !== "open");
  });
  return {
    ...heard,
    firstCalls: firstCallsOf(matrix, cell),
    secondCalls: requestsTo(matrix, cell, "second").length,
    record: recordSeen(cell, record),
    charge: chargeOf(record),
    health: await healthOf(matrix, cell),
  };
}

function firstCallsOf(matrix: MatrixGateway, cell: Cell): number | null {
  switch (causeOf(cell).elsewhere) {
    case undefined:
      return requestsTo(matrix, cell, "first").length;
    case "no TLS":
      return matrix.connectionsWithoutTls(cell);
    default:
      return null;
  }
}

/** The record of the cell's request. The id comes from the log, because a caller that disconnects early does not see it. */
async function recordOf({ gateway }: MatrixGateway, cell: Cell): Promise<TestRecord> {
  const lines = () => gateway.log.filter(({ message, fields }) => message === "request" && fields["model"] === cell.id);
  await until(`${cell.id} is logged`, () => lines().length > 0);
  const ids = lines().map(({ fields }) => String(fields["request_id"]));
  if (ids.length !== 1) throw new Error(`${cell.id} has ended ${ids.length} times.`);
  return gateway.record(ids[0] ?? null);
}

function recordSeen(cell: Cell, { status, error, billing, routing }: TestRecord): RecordSeen {
  const answered = routing.resolved_model === cell.id;
  const isSecond = routing.chose_provider === targetName(cell, "second");
  return {
    status,
    statusCode: routing.status_code,
    error: error && `${error.type} ${error.code}`,
    billing: billing.status,
    attempts: routing.attempts,
    answeredBy: answered ? (isSecond ? "second" : "first") : null,
  };
}

/** Classifies the charge, by the record's usage and the model's price. */
function chargeOf({ status, usage, billing }: TestRecord): Observation["charge"] {
  const amount = billing.amount_microusd;
  const lines = billing.line_items.reduce((sum, line) => sum + line.amount_microusd, 0);
  if (lines !== amount) return "a wrong amount";
  if (amount === 0) return "nothing";
  if (amount !== costOf(usage.prompt_tokens, usage.completion_tokens)) return "a wrong amount";
  if (status === "cancelled") return "produced";
  if (amount === fullCostOf("first")) return "first";
  return amount === fullCostOf("second") ? "second" : "a wrong amount";
}

interface HealthList {
  readonly data: readonly {
    readonly provider: string;
    readonly state: string;
    readonly in_flight: number;
    readonly error_rate: number | null;
  }[];
}

/** The health of the first target in the admin API, once it has no call in flight. */
async function healthOf(matrix: MatrixGateway, cell: Cell): Promise<HealthSeen> {
  let seen = await lookAtHealth(matrix, cell);
  await until(`no call to the first target of ${cell.id} is under way`, async () => {
    seen = await lookAtHealth(matrix, cell);
    return seen.inFlight === 0;
  });
  return seen;
}

async function lookAtHealth({ gateway, adminKey }: MatrixGateway, cell: Cell): Promise<HealthSeen> {
  const response = await gateway.fetch("/api/admin/health", { headers: { authorization: `Bearer ${adminKey}` } });
  const { data } = (await response.json()) as HealthList;
  const target = data.find(({ provider }) => provider === targetName(cell, "first"));
  if (!target) throw new Error(`Operators are not shown the first target of ${cell.id}.`);
  return { state: target.state, inFlight: target.in_flight, errorRate: target.error_rate ?? 0 };
}
