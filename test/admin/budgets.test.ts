import { describe, expect, test } from "bun:test";
import { idOf } from "../sse-text.testkit.ts";
import { until } from "../until.testkit.ts";
import { type AdminGateway, onBothStorages } from "./admin.testkit.ts";

/** The admin API for budgets, and what budgets select by. */

/** A model at 10 micro-USD for a token of output. */
const model = {
  id: "exact",
  targets: [{ provider: "sandbox", model: "sandbox-chat" }],
  contextLength: 100_000,
  maxOutputTokens: 1_000,
  prices: { input: 0, output: 10_000_000 },
};

onBothStorages(
  (context) => {
    const send: AdminGateway["send"] = (...words) => context().send(...words);
    let last = 0;

    /** An account with a key, and chat requests with that key that cost 10 micro-USD for each token. */
    async function newCaller() {
      const account = `team-${(last += 1)}`;
      await send("POST", "/accounts", { id: account });
      const { body } = await send("POST", "/keys", { name: account, account });
      const key = String(body.key);
      const ask = async (tokens: number, headers: object = {}, gateway = context().gateway) => {
        const sandbox = { text: "Hello.", tokens: { input: 5, output: tokens } };
        const asked = { model: "exact", max_tokens: 100, sandbox };
        const response = await gateway.chat(asked, { headers: { authorization: `Bearer ${key}`, ...headers } });
        return { status: response.status, id: idOf(response), text: await response.text() };
      };
      return { account, keyId: String(body.id), key, ask };
    }

    async function set(body: object) {
      const { status, body: budget } = await send("POST", "/budgets", body);
      expect({ status, budget }).toMatchObject({ status: 201 });
      return budget;
    }

    test("a budget is in force once it is set, is listed and shown, and ends once it is removed", async () => {
      const { admin, gateway, other } = context();
      const { account, keyId, key, ask } = await newCaller();
      const served = await ask(70);
      expect(served.status).toBe(200);
      // What was spent before counts, also if its record is still on its way to the storage.
      const budget = await set({
        key: keyId,
        model: "exact",
        amount_microusd: 1_100,
        per: "month",
        time_zone: "Europe/Berlin",
        notify: [95, 80],
      });
      const settings = {
        scope: { account, key: keyId, model: "exact" },
        amount_microusd: 1_100,
        per: "month",
        time_zone: "Europe/Berlin",
        kind: "hard",
        notify: [80, 95, 100],
        created_at: expect.any(Number) as number,
      };
      const id = String(budget.id);
      expect(id).toStartWith("bud_");
      const refused = await ask(70);
      expect([refused.status, refused.text]).toEqual([402, expect.stringContaining(`The budget ${id}`)]);
      await until("the charge is counted", async () => {
        return (await send("GET", `/budgets/${id}`)).body.spent_microusd === 700;
      });
      const shown = { object: "budget", id, ...settings, spent_microusd: 700, held_microusd: 0 };
      const resets = { resets_at: expect.any(Number) as number };
      expect((await send("GET", `/budgets/${id}`)).body).toEqual({ ...shown, ...resets });
      expect((await send("GET", "/budgets")).body.data?.[0]).toEqual({ ...shown, ...resets });

      await until("the other gateway knows the budget", async () => (await ask(1, {}, other)).status === 402);

      expect((await send("DELETE", `/budgets/${id}`)).body).toEqual({ id, object: "budget", deleted: true });
      expect((await ask(70)).status).toBe(200);
      for (const method of ["GET", "DELETE"]) {
        expect(await send(method, `/budgets/${id}`)).toMatchObject({
          status: 404,
          body: { error: { code: "budget_not_found" } },
        });
      }
      const { body: trail } = await send("GET", `/changes?kind=budget&id=${id}`);
      const by = { kind: "key", id: admin.id };
      expect(trail.data).toMatchObject([
        { kind: "budget", by, action: "remove", before: settings, after: null },
        { kind: "budget", by, action: "create", before: null, after: settings },
      ]);
      expect((await gateway.fetch("/api/admin/budgets", { headers: { authorization: `Bearer ${key}` } })).status).toBe(
        403,
      );
    });

    test("the list has pages, newest first", async () => {
      const { account } = await newCaller();
      const made: unknown[] = [];
      for (let count = 0; count < 5; count += 1) {
        const each = count % 2 === 0 ? "end_user" : null;
        made.unshift(
          (await set({ account, session: `s-${count}`, kind: "soft", amount_microusd: count, per: "day", each })).id,
        );
      }
      const found: unknown[] = [];
      for (let after = ""; ;) {
        const { body } = await send("GET", `/budgets?limit=2${after}`);
        found.push(...(body.data ?? []).map(({ id }) => id));
        if (body.has_more !== true) break;
        after = `&after=${String(body.next)}`;
      }
      expect(found.slice(0, 5)).toEqual(made);
      expect(new Set(found).size).toBe(found.length);
      const { data = [] } = (await send("GET", "/budgets?limit=2")).body;
      expect(data.map(({ spent_microusd: spent }) => spent)).toEqual([null, 0]);
    });

    test("a budget replaces one for the same requests, period and kind, and counts what it has counted", async () => {
      const { account, ask } = await newCaller();
      expect((await ask(70)).status).toBe(200);
      const first = await set({ account, amount_microusd: 100, per: "day" });
      expect((await ask(1)).status).toBe(402);
      const second = await set({ account, amount_microusd: 10_000, per: "day", time_zone: "Asia/Tokyo" });
      expect(second).toMatchObject({ replaced: first.id, amount_microusd: 10_000 });
      expect(await send("GET", `/budgets/${String(first.id)}`)).toMatchObject({ status: 404 });
      expect((await ask(1)).status).toBe(200);
      const [entry] = (await send("GET", `/changes?kind=budget&id=${String(second.id)}`)).body.data ?? [];
      expect(entry).toMatchObject({ action: "replace", before: { id: first.id }, after: { amount_microusd: 10_000 } });
      const other = await set({ account, amount_microusd: 10_000, per: "day", kind: "soft" });
      expect([first.replaced, other.replaced]).toEqual([null, null]);
    });

    test("a budget on a tag concerns the requests that have it, from a header or from the key", async () => {
      const { account, ask } = await newCaller();
      await set({ account, tag: { team: "search" }, amount_microusd: 0, per: "total" });
      const tagged = (tags: string) => ask(1, { "x-service-tags": tags });
      expect((await ask(1)).status).toBe(200);
      expect((await tagged("team=searches, env=search")).status).toBe(200);
      expect((await tagged("env=prod, team=search")).status).toBe(402);
      const { body } = await send("POST", "/keys", { name: "search", account, tags: { team: "search" } });
      expect((await ask(1, { authorization: `Bearer ${String(body.key)}` })).status).toBe(402);
    });

    test("a budget for each end user gives each of them the amount, and none without one", async () => {
      const { account, ask } = await newCaller();
      const budget = await set({ account, each: "end_user", amount_microusd: 1_006, per: "total" });
      const by = (user: string) => ask(100, { "x-service-end-user": user });
      expect([(await by("ann")).status, (await by("ann")).status]).toEqual([200, 402]);
      expect([(await by("bob")).status, (await by("bob")).status]).toEqual([200, 402]);
      expect([(await ask(100)).status, (await ask(100)).status]).toEqual([200, 200]);
      expect(budget).toMatchObject({ scope: { account, each: "end_user" }, spent_microusd: null, resets_at: null });
      await send("DELETE", `/budgets/${String(budget.id)}`);
      await set({ account, end_user: "ann", amount_microusd: 0, per: "total" });
      expect([(await by("ann")).status, (await by("bob")).status]).toEqual([402, 200]);
    });

    test("a budget per session gives each session the amount, as clients name theirs", async () => {
      const { account, ask } = await newCaller();
      await set({ account, amount_microusd: 1_006, per: "session" });
      const own = (session: string) => ask(100, { "x-service-session": session });
      const claude = (session: string) => ask(100, { "x-claude-code-session-id": session });
      expect([(await own("s-1")).status, (await claude("s-1")).status, (await own("s-2")).status]).toEqual([
        200, 402, 200,
      ]);
      expect([(await claude("s-3")).status, (await own("s-3")).status]).toEqual([200, 402]);
      expect([(await ask(100)).status, (await ask(100)).status]).toEqual([200, 200]);
    });

    test("a budget on a model concerns other names that lead to it, and one on an alias that name alone", async () => {
      const { account, ask } = await newCaller();
      const { key } = await context().gateway.newKey({ accountId: account });
      const asAlias = () =>
        context().gateway.chat({ model: "nickname" }, { headers: { authorization: `Bearer ${key}` } });
      const { id } = await set({ account, model: "exact", amount_microusd: 0, per: "total" });
      expect([(await ask(1)).status, (await asAlias()).status]).toEqual([402, 402]);
      await send("DELETE", `/budgets/${String(id)}`);
      await set({ account, model: "nickname", amount_microusd: 0, per: "total" });
      expect([(await ask(1)).status, (await asAlias()).status]).toEqual([200, 402]);
    });

    describe("what is wrong is named, and leaves no budget", () => {
      const good = { amount_microusd: 1, per: "day" };
      test.each<[object, string]>([
        [{ per: "day" }, "amount_microusd"],
        [{ amount_microusd: 1 }, "per"],
        [{ ...good, amount_microusd: -1 }, "amount_microusd"],
        [{ ...good, amount_microusd: 1.5 }, "amount_microusd"],
        [{ ...good, amount_microusd: "1" }, "amount_microusd"],
        [{ ...good, amount_microusd: 1e18 }, "amount_microusd"],
        [{ ...good, per: "year" }, "per"],
        [{ ...good, time_zone: "Mars/Olympus" }, "time_zone"],
        [{ ...good, time_zone: 1 }, "time_zone"],
        [{ ...good, kind: "firm" }, "kind"],
        [{ ...good, each: "model" }, "each"],
        [{ ...good, per: "session", each: "key" }, "each"],
        [{ ...good, notify: 80 }, "notify"],
        [{ ...good, notify: [0] }, "notify"],
        [{ ...good, notify: ["80"] }, "notify[0]"],
        [{ ...good, notify: Array.from({ length: 17 }, (_, index) => index + 1) }, "notify"],
        [{ ...good, tag: "team=search" }, "tag"],
        [{ ...good, tag: {} }, "tag"],
        [{ ...good, tag: { a: "1", b: "2" } }, "tag"],
        [{ ...good, tag: { team: 1 } }, "tag.team"],
        [{ ...good, tag: { team: "" } }, "tag"],
        [{ ...good, tag: { "Team A": "search" } }, "tag"],
        [{ ...good, tag: { team: "search, ops" } }, "tag"],
        [{ ...good, model: "" }, "model"],
        [{ ...good, end_user: "a\nb" }, "end_user"],
        [{ ...good, end_user: "\ud800" }, "end_user"],
        [{ ...good, session: "x".repeat(257) }, "session"],
        [{ ...good, account: "nobody" }, "account"],
        [{ ...good, key: "nobody" }, "key"],
        [{ ...good, usd: 1 }, "usd"],
      ])("%j", async (body, param) => {
        const newest = async () => (await send("GET", "/budgets?limit=1")).body.data?.[0]?.id;
        const before = await newest();
        expect(await send("POST", "/budgets", body)).toMatchObject({ status: 400, body: { error: { param } } });
        expect(await newest()).toBe(before);
      });

      test("a key of another account, and a page after nothing", async () => {
        const [one, two] = [await newCaller(), await newCaller()];
        const body = { ...good, key: one.keyId, account: two.account };
        expect(await send("POST", "/budgets", body)).toMatchObject({
          status: 400,
          body: { error: { param: "account" } },
        });
        expect(await send("GET", "/budgets?after=bud_none")).toMatchObject({
          status: 400,
          body: { error: { param: "after" } },
        });
      });
    });
  },
  { models: [model], routes: [{ kind: "alias", id: "nickname", leadsTo: "exact" }] },
);
