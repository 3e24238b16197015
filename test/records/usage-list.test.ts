import { beforeAll, expect, test } from "bun:test";
import type { TestKey, TestRecord } from "../gateway.testkit.ts";
import { onEachStorage } from "./storages.testkit.ts";

/** `GET /api/usage/requests` and its counterpart for operators. */

interface Page {
  readonly object: string;
  readonly data: readonly TestRecord[];
  readonly has_more: boolean;
  readonly next: string | null;
}

const start = Date.parse("2026-11-20T10:00:00Z");
let now = start;
const clock = { now: () => now };

onEachStorage({ clock, models: [{ id: "other-chat" }] }, (gateway) => {
  let key: TestKey;
  let stranger: TestKey;
  let operator: TestKey;
  /** Of the requests of `key`, oldest first. */
  const ids: string[] = [];

  const by = ({ key: secret }: TestKey): RequestInit => ({ headers: { authorization: `Bearer ${secret}` } });
  const ask = (query: string, who = key, path = "/api/usage/requests") => gateway().fetch(`${path}${query}`, by(who));
  async function page(query: string, who = key, path = "/api/usage/requests"): Promise<Page> {
    const response = await ask(query, who, path);
    expect(response.status).toBe(200);
    return (await response.json()) as Page;
  }
  const idsOf = ({ data }: Page) => data.map(({ id }) => id);
  async function chat(body: Readonly<Record<string, unknown>>, who = key): Promise<string> {
    const response = await gateway().chat(body, by(who));
    await response.text();
    return response.headers.get("x-service-request-id") ?? "";
  }

  beforeAll(async () => {
    now = start;
    ids.length = 0;
    [key, stranger, operator] = await Promise.all([
      gateway().newKey(),
      gateway().newKey(),
      gateway().newKey({ admin: true }),
    ]);
    // Every ten minutes, so that they lie in several quarters of an hour, and two in another day.
    for (let index = 0; index < 12; index += 1) {
      const sandbox = index % 4 === 3 ? { sandbox: { fault: { kind: "status", status: 500 } } } : {};
      ids.push(await chat({ model: index % 3 === 0 ? "other-chat" : "sandbox-chat", ...sandbox }));
      now += index === 9 ? 86_400_000 : 600_000;
    }
    await chat({}, stranger);
  });

  test("lists the records of the key, newest first, as a lookup shows them", async () => {
    const list = await page("");
    expect(list).toMatchObject({ object: "list", has_more: false, next: null });
    expect(idsOf(list)).toEqual(ids.toReversed());
    for (const record of list.data) expect(await gateway().record(record.id, key.key)).toEqual(record);
  });

  test("pages by a cursor, and is stable while records are added", async () => {
    const found: string[] = [];
    let query = "?limit=5";
    for (;;) {
      const list = await page(query);
      found.push(...idsOf(list));
      expect(list.data.length).toBeLessThanOrEqual(5);
      expect(list.has_more).toBe(list.next !== null);
      if (list.next === null) break;
      ids.push(await chat({}));
      now += 1;
      query = `?limit=5&after=${list.next}`;
    }
    expect(found).toEqual(ids.slice(0, 12).toReversed());
    // The same with filters.
    const first = await page("?limit=1&model=other-chat&status=succeeded");
    const second = await page(`?limit=1&model=other-chat&status=succeeded&after=${first.next}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual([ids[9] ?? "", ids[6] ?? ""]);
    expect(first.has_more).toBe(true);
  });

  test("selects by model, endpoint, status and time", async () => {
    const old = ids.slice(0, 12).toReversed();
    const place = (id: string) => ids.indexOf(id);
    expect(idsOf(await page("?model=other-chat"))).toEqual(old.filter((id) => place(id) % 3 === 0));
    expect(idsOf(await page("?status=failed"))).toEqual(old.filter((id) => place(id) % 4 === 3));
    expect(idsOf(await page("?status=failed&model=other-chat"))).toEqual(old.filter((id) => [3].includes(place(id))));
    expect(idsOf(await page("?endpoint=/v1/chat/completions&limit=3"))).toEqual(ids.toReversed().slice(0, 3));
    expect(idsOf(await page("?endpoint=/v1/messages"))).toEqual([]);
    expect(idsOf(await page("?model=nothing"))).toEqual([]);
    expect(idsOf(await page("?status=pending"))).toEqual([]);
    // `from` is inclusive, `to` exclusive.
    const third = start + 2 * 600_000;
    const range = `from=${third / 1000}&to=2026-11-20T11:00:00%2B00:00`;
    expect(idsOf(await page(`?${range}`))).toEqual([5, 4, 3, 2].map((index) => ids[index] ?? ""));
    expect(idsOf(await page(`?${range}&status=failed`))).toEqual([ids[3] ?? ""]);
    expect(idsOf(await page("?to=2026-11-20T10:00:00.001Z&from=2026-11-20"))).toEqual([ids[0] ?? ""]);
  });

  test("selects by several statuses, by provider, and by what a request cost and took at least", async () => {
    const old = ids.slice(0, 12).toReversed();
    const failed = (id: string) => ids.indexOf(id) % 4 === 3;
    expect(idsOf(await page("?status=failed,refused"))).toEqual(old.filter(failed));
    expect(idsOf(await page("?status=failed,succeeded&limit=3"))).toEqual(ids.toReversed().slice(0, 3));
    expect(idsOf(await page("?provider=sandbox&model=other-chat"))).toEqual(
      old.filter((id) => ids.indexOf(id) % 3 === 0),
    );
    expect(idsOf(await page("?provider=other"))).toEqual([]);
    const { data } = await page("?limit=1000");
    const amounts = data.map(({ billing }) => billing.amount_microusd);
    const least = Math.max(...amounts);
    expect(idsOf(await page(`?min_amount_microusd=${least}`))).toEqual(
      data.filter(({ billing }) => billing.amount_microusd >= least).map(({ id }) => id),
    );
    expect(idsOf(await page(`?min_amount_microusd=${least + 1}`))).toEqual([]);
    expect(idsOf(await page("?min_latency_ms=0&limit=1000"))).toEqual(data.map(({ id }) => id));
    expect(idsOf(await page("?min_latency_ms=900000"))).toEqual([]);
  });

  test("shows a record at once after its answer", async () => {
    for (let index = 0; index < 5; index += 1) {
      now += 1;
      const id = await chat({});
      ids.push(id);
      expect(idsOf(await page("?limit=1"))).toEqual([id]);
      expect(idsOf(await page("?limit=1&model=sandbox-chat"))).toEqual([id]);
    }
  });

  test("operators see the records of all keys, with their attempts", async () => {
    const path = "/api/admin/usage/requests";
    const all = await page("?limit=1000", operator, path);
    expect(new Set(all.data.map((record) => (record as TestRecord & { key_id: string }).key_id))).toEqual(
      new Set([key.id, stranger.id]),
    );
    expect(all.data[0]).toHaveProperty("attempts");
    const ofStranger = await page(`?key=${stranger.id}`, operator, path);
    expect(ofStranger.data).toHaveLength(1);
    expect((await page("?status=failed", operator, path)).data).toHaveLength(3);
    expect((await page("?status=failed&account=default", operator, path)).data).toHaveLength(3);
    expect((await page("?account=unknown", operator, path)).data).toEqual([]);
    expect((await ask("", key, path)).status).toBe(403);
    // A cursor of one list is not one of another.
    const { next } = await page("?limit=1", operator, path);
    expect((await ask(`?after=${next}`)).status).toBe(400);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["limit=many", "limit"],
    ["status=done", "status"],
    ["status=failed,", "status"],
    ["status=failed,failed", "status"],
    ["provider=", "provider"],
    ["min_amount_microusd=0.5", "min_amount_microusd"],
    ["min_latency_ms=-1", "min_latency_ms"],
    ["from=yesterday", "from"],
    ["from=2026-02-30T00:00:00Z", "from"],
    ["from=-1", "from"],
    ["to=99999999999999", "to"],
    ["from=2026-11-22&to=2026-11-21", "to"],
    ["model=", "model"],
    ["modle=a", "modle"],
    ["model=a&model=b", "model"],
    ["after=x", "after"],
    ["after=", "after"],
  ])("refuses ?%s and names the parameter", async (query, param) => {
    const response = await ask(`?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
  });

  test("refuses a cursor of another key, and a damaged one", async () => {
    const { next } = await page("?limit=1");
    const damaged = `${next?.slice(0, -3)}AAA`;
    for (const response of await Promise.all([ask(`?after=${next}`, stranger), ask(`?after=${damaged}`)])) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: "invalid_parameter", param: "after" } });
    }
    expect((await gateway().fetch("/api/usage/requests", { headers: { authorization: "Bearer no" } })).status).toBe(
      401,
    );
  });

  test("a key in the query is a credential, and no filter", async () => {
    const response = await fetch(`${gateway().url}/api/usage/requests?limit=1&key=${key.key}`);
    expect(response.status).toBe(200);
    await response.text();
    // For operators `key` is a filter: a whole key would select nothing, as if there were no records.
    const asFilter = await fetch(`${gateway().url}/api/admin/usage/requests?key=${operator.key}`);
    expect(asFilter.status).toBe(400);
    expect(await asFilter.json()).toMatchObject({ error: { param: "key" } });
  });
});
