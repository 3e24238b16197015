import { expect } from "bun:test";
import { tester } from "../../src/changes/actor.testkit.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { TestGateway, TestRecord } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";

/** A key of an account of its own. */
export interface Payer {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  readonly by: RequestInit;
  credit(amountMicrousd: number): Promise<void>;
  /** `GET /api/account`. */
  account(): Promise<ShownAccount>;
  /** Sends JSON, and gives the answer's status, error and record. */
  post(path: string, body: object): Promise<Asked>;
}

export interface ShownAccount {
  readonly [field: string]: unknown;
  readonly balance_microusd: number;
  readonly held_microusd: number;
}

export interface Asked {
  readonly status: number;
  readonly text: string;
  readonly record: TestRecord;
  /** `X-Service-Max-Tokens`. */
  readonly limit: string | null;
  readonly warnings: string | null;
}

let last = 0;

/** Makes an account with this balance, and a key of it. */
export async function createPayer(
  gateway: TestGateway,
  storage: Storage,
  balance: number,
  { mode = "prepaid", markup = 0 }: { readonly mode?: "prepaid" | "unlimited"; readonly markup?: number } = {},
): Promise<Payer> {
  const id = `payer-${(last += 1)}`;
  await storage.accounts.create({ id, name: id, mode, markupBasisPoints: markup, createdAt: 1 }, tester);
  const credit = async (amountMicrousd: number) => {
    const entry = {
      id: `ent_${(last += 1)}`,
      accountId: id,
      createdAt: 1,
      idempotencyKey: null,
      note: null,
      by: tester,
    };
    const posted = await storage.accounts.post({ ...entry, kind: "credit", amountMicrousd });
    expect(posted.kind).toBe("made");
  };
  if (balance > 0) await credit(balance);
  const { key, id: keyId } = await gateway.newKey({ accountId: id });
  const by = { headers: { authorization: `Bearer ${key}` } };
  return {
    id,
    key,
    keyId,
    by,
    credit,
    account: async () => (await (await gateway.fetch("/api/account", by)).json()) as ShownAccount,
    async post(path, body) {
      const headers = { ...by.headers, "content-type": "application/json" };
      const response = await gateway.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      return {
        status: response.status,
        text: await response.text(),
        record: await gateway.record(idOf(response), key),
        limit: response.headers.get("x-service-max-tokens"),
        warnings: response.headers.get("x-service-warnings"),
      };
    },
  };
}

/** Waits until the audit of a book finds nothing: records may still be on their way to the storage. */
export async function expectSoundBook({ auditor }: Storage): Promise<void> {
  const deadline = performance.now() + 10_000;
  let found: unknown[] = [];
  do {
    found = [];
    await auditor.audit((finding) => found.push(finding));
  } while (found.length > 0 && performance.now() < deadline);
  expect(found).toEqual([]);
}
