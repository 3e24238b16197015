import { describe, expect, test } from "bun:test";
import { type AdminGateway, onBothStorages } from "./admin.testkit.ts";

/** The admin API for accounts and their ledgers. */

onBothStorages((context) => {
  const send: AdminGateway["send"] = (...words) => context().send(...words);
  let last = 0;
  async function newAccount(settings: object = {}): Promise<string> {
    const id = `team-${(last += 1)}`;
    expect(await send("POST", "/accounts", { id, ...settings })).toMatchObject({ status: 201, body: { id } });
    return id;
  }
  const post = (id: string, body: object) => send("POST", `/accounts/${id}/entries`, body);

  test("an account is created, credited, debited and shown, and its ledger sums to its balance", async () => {
    const { admin } = context();
    const id = await newAccount({ name: "Team A", mode: "prepaid", markup_percent: -12.5 });
    const credit = { kind: "credit", amount_microusd: 25_000_001, note: "invoice 17", idempotency_key: "invoice-17" };
    const first = await post(id, credit);
    expect(first).toMatchObject({
      status: 201,
      body: {
        object: "ledger_entry",
        kind: "credit",
        amount_microusd: 25_000_001,
        account: id,
        idempotency_key: "invoice-17",
        note: "invoice 17",
        repeated: false,
        balance_microusd: 25_000_001,
      },
    });
    expect(await post(id, credit)).toMatchObject({ status: 200, body: { ...first.body, repeated: true } });
    expect(await post(id, { ...credit, amount_microusd: 1 })).toMatchObject({
      status: 409,
      body: { error: { code: "idempotency_conflict", param: "idempotency_key" } },
    });
    expect(await post(id, { kind: "debit", amount_microusd: 5_000_000 })).toMatchObject({
      status: 201,
      body: { kind: "adjustment", amount_microusd: -5_000_000, balance_microusd: 20_000_001 },
    });
    const account = {
      object: "account",
      id,
      name: "Team A",
      mode: "prepaid",
      markup_percent: -12.5,
      currency: "USD",
      balance_microusd: 20_000_001,
      held_microusd: 0,
      available_microusd: 20_000_001,
      leased_microusd: 0,
      created_at: expect.any(Number) as number,
    };
    expect((await send("GET", `/accounts/${id}`)).body).toEqual(account);

    const page = await send("GET", `/accounts/${id}/entries?limit=1`);
    expect(page.body).toMatchObject({ has_more: true, data: [{ amount_microusd: -5_000_000 }] });
    const rest = await send("GET", `/accounts/${id}/entries?after=${String(page.body.next)}`);
    expect(rest.body).toMatchObject({ has_more: false, next: null, data: [{ amount_microusd: 25_000_001 }] });

    const trail = await send("GET", `/changes?kind=account&id=${id}`);
    const by = { kind: "key", id: admin.id };
    expect(trail.body.data).toMatchObject([
      { by, action: "debit", before: { balance_microusd: 25_000_001 }, after: { balance_microusd: 20_000_001 } },
      { by, action: "credit", before: { balance_microusd: 0 }, after: { entry: { note: "invoice 17" } } },
      { by, action: "create", before: null, after: { mode: "prepaid", markup_percent: -12.5 } },
    ]);
  });

  test("a credit can be spent at once with a key of the account", async () => {
    const id = await newAccount({ mode: "prepaid" });
    const { body } = await send("POST", "/keys", { name: "payer", account: id });
    expect(body.account).toBe(id);
    const chat = () =>
      context().gateway.chat({ max_tokens: 10 }, { headers: { authorization: `Bearer ${String(body.key)}` } });
    expect((await chat()).status).toBe(402);
    await post(id, { kind: "credit", amount_microusd: 1_000_000 });
    const served = await chat();
    expect(served.status).toBe(200);
    const record = await context().gateway.record(served.headers.get("x-service-request-id"), String(body.key));
    const balance = 1_000_000 - record.billing.amount_microusd;
    expect(record.billing.amount_microusd).toBeGreaterThan(0);
    expect(await send("GET", `/accounts/${id}`)).toMatchObject({
      body: { balance_microusd: balance, held_microusd: 0 },
    });
  });

  test("the list is sorted and has pages", async () => {
    for (let count = 0; count < 3; count++) await newAccount();
    const ids: unknown[] = [];
    for (let after = ""; ;) {
      const { body } = await send("GET", `/accounts?limit=2${after}`);
      ids.push(...(body.data ?? []).map(({ id }) => id));
      if (body.has_more !== true) break;
      after = `&after=${String(body.next)}`;
    }
    expect(ids).toEqual(ids.map(String).toSorted());
    expect(ids).toContain("default");
    expect(new Set(ids).size).toBe(ids.length);
  });

  describe("what is wrong is named", () => {
    test.each<[object, string]>([
      [{}, "id"],
      [{ id: "a/b" }, "id"],
      [{ id: "x".repeat(65) }, "id"],
      [{ id: "a", name: "\t" }, "name"],
      [{ id: "a", mode: "postpaid" }, "mode"],
      [{ id: "a", markup_percent: -100.01 }, "markup_percent"],
      [{ id: "a", markup_percent: 0.125 }, "markup_percent"],
      [{ id: "a", markup_percent: "5" }, "markup_percent"],
      [{ id: "a", prepaid: true }, "prepaid"],
      [{ id: "a", currency: "EUR" }, "currency"],
    ])("account %j", async (body, param) => {
      expect(await send("POST", "/accounts", body)).toMatchObject({ status: 400, body: { error: { param } } });
    });

    test.each<[object, string]>([
      [{ amount_microusd: 1 }, "kind"],
      [{ kind: "refund", amount_microusd: 1 }, "kind"],
      [{ kind: "credit" }, "amount_microusd"],
      [{ kind: "credit", amount_microusd: 0 }, "amount_microusd"],
      [{ kind: "credit", amount_microusd: -5 }, "amount_microusd"],
      [{ kind: "credit", amount_microusd: 1.5 }, "amount_microusd"],
      [{ kind: "credit", amount_microusd: "1" }, "amount_microusd"],
      [{ kind: "credit", amount_microusd: 1e18 }, "amount_microusd"],
      [{ kind: "credit", amount_microusd: 1, note: "" }, "note"],
      [{ kind: "credit", amount_microusd: 1, idempotency_key: "a\nb" }, "idempotency_key"],
      [{ kind: "credit", amount_microusd: 1, usd: 1 }, "usd"],
    ])("entry %j", async (body, param) => {
      expect(await post("default", body)).toMatchObject({ status: 400, body: { error: { param } } });
      expect(await send("GET", "/accounts/default")).toMatchObject({ body: { balance_microusd: 0 } });
    });

    test("an account that exists, one that does not, and a debit of more than there is", async () => {
      const id = await newAccount({ mode: "prepaid" });
      expect(await send("POST", "/accounts", { id })).toMatchObject({
        status: 409,
        body: { error: { code: "account_exists", param: "id" } },
      });
      expect(await post(id, { kind: "debit", amount_microusd: 1 })).toMatchObject({
        status: 409,
        body: { error: { code: "balance_too_low" } },
      });
      for (const [method, path] of [
        ["GET", "/accounts/nobody"],
        ["GET", "/accounts/nobody/entries"],
        ["POST", "/accounts/nobody/entries"],
      ] as const) {
        const body = method === "POST" ? { kind: "credit", amount_microusd: 1 } : undefined;
        expect(await send(method, path, body)).toMatchObject({
          status: 404,
          body: { error: { code: "account_not_found" } },
        });
      }
    });
  });
});
