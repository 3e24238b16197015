import { afterAll, beforeAll, describe, expect } from "bun:test";
import { expectDescribed } from "./described.testkit.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions, type TestKey } from "../gateway.testkit.ts";

/** An answer of the admin API. */
export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The shape is what a test is about.
  readonly body: Readonly<Record<string, unknown>> & {
    readonly error?: { readonly type: string; readonly code: string; readonly param: string | null; message: string };
    readonly data?: readonly Readonly<Record<string, unknown>>[];
  };
}

/** A gateway with an admin key. */
export interface AdminGateway {
  readonly gateway: TestGateway;
  /** Another gateway on the same storage. */
  readonly other: TestGateway;
  readonly admin: TestKey;
  /** Sends a request to a path below `/api/admin`, with the admin key unless another is given. */
  readonly send: (method: string, path: string, body?: unknown, key?: string) => Promise<AdminAnswer>;
}

/** Runs the same tests with two gateways on SQLite and with two on Postgres. */
export function onBothStorages(tests: (context: () => AdminGateway) => void, options: TestGatewayOptions = {}): void {
  describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
    let context: AdminGateway;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const database = kind === "postgres" ? await createTestDatabase() : null;
      const gateway = await startTestGateway({ ...options, ...(database && { storageUrl: database.url }) });
      const other = await startTestGateway({ ...options, storageUrl: gateway.storageUrl });
      const admin = await gateway.newKey({ admin: true });
      const send: AdminGateway["send"] = async (method, path, body, key = admin.key) => {
        const response = await fetch(`${gateway.url}/api/admin${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        });
        expect(response.headers.get("x-service-request-id")).toStartWith("req_");
        const json = (await response.json()) as AdminAnswer["body"];
        if (response.ok) expectDescribed(method, `/api/admin${path.replace(/\?.*/, "")}`, response.status, json);
        return { status: response.status, headers: response.headers, body: json };
      };
      context = { gateway, other, admin, send };
      close = async () => {
        await other.stop();
        await gateway.stop();
        await database?.drop();
      };
    }, 60_000);
    afterAll(() => close());
    tests(() => context);
  });
}
