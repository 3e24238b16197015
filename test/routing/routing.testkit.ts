import type { RouteDefinition } from "../../src/routing/names/route.ts";
import { defaultFallbackOn, defaultRetry } from "../../src/config/defaults.ts";
import type { Script } from "../../src/sandbox/server.ts";
import type { TestGateway, TestModel } from "../gateway.testkit.ts";

type PolicyConfig = Extract<RouteDefinition, { kind: "policy" }>;

/** A policy over these models; default: priority. */
export function policy(id: string, models: readonly string[], fields: Partial<PolicyConfig> = {}): PolicyConfig {
  return {
    kind: "policy",
    id,
    strategy: "priority",
    members: models.map((model) => ({ model, weight: 1 })),
    requires: [],
    retry: defaultRetry,
    fallbackOn: defaultFallbackOn,
    hedgeAfterMs: null,
    ...fields,
  };
}

export function alias(id: string, leadsTo: string): RouteDefinition {
  return { kind: "alias", id, leadsTo };
}

/** A model of the built-in sandbox whose upstream name is `<id>-up`. */
export function modelOf(id: string, fields: Omit<TestModel, "id"> = {}): TestModel {
  return { id, targets: [{ provider: "sandbox", model: `${id}-up` }], ...fields };
}

type StatusFault = Extract<NonNullable<Script["fault"]>, { kind: "status" }>;

/** An upstream that answers with this status. */
export function failing(status: number, fields: Partial<Omit<StatusFault, "kind" | "status">> = {}): Script {
  return { fault: { kind: "status", status, ...fields } };
}

/** The upstream models requested from the sandbox since its reset, oldest first. */
export function askedOf(gateway: TestGateway): (string | null)[] {
  return gateway.sandbox.requests.map(({ model }) => model);
}

/** One upstream call in the admin API. */
export interface TestAttempt {
  readonly model: string;
  readonly provider: string;
  readonly upstream_model: string;
  readonly outcome: "answered" | "failed" | "lost" | "cancelled";
  readonly status_code: number | null;
  readonly error: string | null;
  readonly latency_ms: number;
  readonly provider_cost_microusd: number;
  readonly provider_cost: "none" | "measured" | "estimated";
}

/** The attempts of a request in the admin API. */
export async function attemptsOf(gateway: TestGateway, id: string | null): Promise<readonly TestAttempt[]> {
  const { key } = await gateway.newKey({ admin: true });
  const headers = { authorization: `Bearer ${key}` };
  const response = await gateway.fetch(`/api/admin/requests/${id}`, { headers });
  if (response.status !== 200) throw new Error(`The lookup of ${id} answered ${response.status}.`);
  return ((await response.json()) as { attempts: readonly TestAttempt[] }).attempts;
}

/** Longer than the interval at which the gateway checks deadlines, to show that something does not happen. */
export const ticks = () => Bun.sleep(50);

/** The status and error of a response. */
export async function errorOf(response: Response) {
  const { error } = (await response.json()) as {
    error: { type: string; code: string; message: string; param: string };
  };
  return { status: response.status, ...error };
}
