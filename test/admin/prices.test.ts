import { describe, expect, test } from "bun:test";
import { until } from "../until.testkit.ts";
import { type AdminGateway, onBothStorages } from "./admin.testkit.ts";

/** The admin API for price lists. The tests of a storage go on from one another's versions. */

onBothStorages(
  (context) => {
    const send: AdminGateway["send"] = (...words) => context().send(...words);
    const litellm = (inputPerToken: number) => ({
      unpriced: { input_cost_per_token: inputPerToken, output_cost_per_token: 2e-6 },
    });
    const importing = (query: string, body: unknown) => send("POST", `/prices/import?${query}`, body);

    /** The version and amount that a request is charged with. */
    async function charged({ gateway } = context()) {
      const sandbox = { text: "x", tokens: { input: 1_000, output: 0 } };
      const response = await gateway.chat({ model: "unpriced", sandbox });
      const { billing } = await gateway.record(response.headers.get("x-service-request-id"));
      return { version: billing.pricing_version, status: billing.status, amount: billing.amount_microusd };
    }

    test("an import is in force at once, here and in other gateways, and can be rolled back", async () => {
      expect(await charged()).toMatchObject({ version: 1, status: "unpriced" });
      const imported = await importing("format=litellm&note=November", litellm(1e-6));
      expect(imported).toMatchObject({
        status: 200,
        body: {
          object: "price_list.change",
          version: 2,
          author: `key ${context().admin.id}`,
          note: "November",
          changed: true,
          models: 1,
          left_out_count: 0,
          left_out: [],
        },
      });
      expect(await charged()).toEqual({ version: 2, status: "charged", amount: 1_000 });
      await until(
        "the other gateway",
        async () => (await charged({ ...context(), gateway: context().other })).version === 2,
      );
      expect(await importing("format=litellm", litellm(1e-6))).toMatchObject({ body: { version: 2, changed: false } });
      await importing("format=litellm", litellm(3e-6));
      expect(await charged()).toEqual({ version: 3, status: "charged", amount: 3_000 });

      expect(await send("POST", "/prices/rollback", { note: "too dear" })).toMatchObject({ body: { version: 2 } });
      expect(await charged()).toMatchObject({ version: 2, amount: 1_000 });
      expect(await send("POST", "/prices/3/activate")).toMatchObject({
        body: { version: 3, changed: true, note: "version 3 again" },
      });
      expect(await charged()).toMatchObject({ version: 3, amount: 3_000 });
    });

    test("a change is told by what the usage of the last days would have cost, before it is made and after", async () => {
      const usage = async () => (await send("GET", "/prices/replay?from=2&to=3")).body;
      const replayed = await usage();
      expect(replayed).toMatchObject({
        object: "price_list.replay",
        from: 2,
        to: 3,
        days: 30,
        is_exact: true,
        unknown_requests: 0,
      });
      const [model] = replayed["models"] as readonly Record<string, number>[];
      // Each request has read 1,000 tokens, at 1 and at 3 micro-USD.
      expect(model).toMatchObject({ model: "unpriced", provider: "sandbox", is_exact: true });
      const requests = Number(model?.["requests"]);
      expect(requests).toBeGreaterThan(4);
      expect(model).toMatchObject({ before_microusd: requests * 1_000, after_microusd: requests * 3_000 });
      const before = (await send("GET", "/prices")).body;
      const preview = await send("POST", "/prices/preview?format=litellm", litellm(5e-6));
      expect(preview).toMatchObject({
        status: 200,
        body: {
          object: "price_list.preview",
          models: 1,
          left_out_count: 0,
          differences_count: 1,
          differences: [{ model: "unpriced", price: "input" }],
        },
      });
      // Records of the other gateway may have come meanwhile.
      const replay = preview.body["replay"] as Readonly<Record<string, number>>;
      expect(replay["requests"]).toBeGreaterThanOrEqual(requests);
      expect(replay).toMatchObject({
        before_microusd: Number(replay["requests"]) * 3_000,
        after_microusd: Number(replay["requests"]) * 5_000,
        is_exact: true,
      });
      expect((await send("GET", "/prices")).body).toEqual(before);
      expect(await send("POST", "/prices/preview?format=litellm", { a: { input_cost_per_token: -1 } })).toMatchObject({
        status: 400,
      });
      expect(await send("GET", "/prices/replay?from=1&to=99")).toMatchObject({
        status: 404,
        body: { error: { code: "price_version_not_found" } },
      });
      expect(await send("GET", "/prices/replay?from=1&to=2&days=0")).toMatchObject({
        status: 400,
        body: { error: { param: "days" } },
      });
    });

    test("the versions have pages, newest first, and one is in force", async () => {
      const whole = await send("GET", "/prices");
      expect(whole.body.data).toMatchObject([
        { object: "price_list.version", version: 3, in_force: true, note: "imported" },
        { version: 2, in_force: false, note: "November" },
        { version: 1, in_force: false, author: "configuration" },
      ]);
      const first = await send("GET", "/prices?limit=2");
      expect(first.body).toMatchObject({ has_more: true, next: 2 });
      expect(await send("GET", "/prices?limit=2&after=2")).toMatchObject({
        body: { data: [{ version: 1 }], next: null },
      });
    });

    test("a version is shown, compared and exported", async () => {
      const shown = await send("GET", "/prices/current?model=unpriced");
      expect(shown.body).toMatchObject({ object: "price_list", version: 3, currency: "USD" });
      expect(shown.body.models).toMatchObject([
        { id: "unpriced", source: { layer: "imported", name: "litellm" }, pricing: [{ unit_microusd: 3_000_000 }, {}] },
      ]);
      const all = await send("GET", "/prices/1");
      expect(JSON.stringify(all.body.models)).toContain("sandbox-chat");
      expect(JSON.stringify(all.body.models)).not.toContain("unpriced");
      expect((await send("GET", "/prices/diff?from=2&to=3")).body).toMatchObject({
        object: "price_list.diff",
        from: 2,
        to: 3,
        differences: [
          {
            layer: "imported",
            model: "unpriced",
            price: "input",
            before: { unit_microusd: 1_000_000 },
            after: { unit_microusd: 3_000_000 },
          },
        ],
      });
      const exported = await send("GET", "/prices/2/export");
      expect(exported.body).toMatchObject({ object: "price_list.export", version: 2, bundled: null });
      const { layers } = exported.body as { layers: { layer: string; models: unknown[] }[] };
      const layer = layers.find((each) => each.layer === "imported");
      expect(layer?.models).toEqual([{ id: "unpriced", prices: { input: "1", output: "2" } }]);
      // A layer of an export can be imported as it is.
      expect(await importing("format=tollgate", layer)).toMatchObject({ body: { version: 4, models: 1 } });
      expect(await charged()).toEqual({ version: 4, status: "charged", amount: 1_000 });
    });

    test("a file with anything invalid changes nothing, unless that is to be left out", async () => {
      const file = { ...litellm(5e-6), bad: { input_cost_per_token: -1, output_cost_per_token: 1 } };
      const refused = await importing("format=litellm", file);
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_parameter", param: "bad.input_cost_per_token" } },
      });
      expect(refused.body.error?.message).toContain("skip_invalid=true");
      expect(await importing("format=litellm&skip_invalid=true", file)).toMatchObject({
        body: { version: 5, models: 1, left_out_count: 1, left_out: [{ path: "bad.input_cost_per_token" }] },
      });
    });

    test("each change is in the audit trail", async () => {
      const { body } = await send("GET", "/changes?kind=price_list&limit=1000");
      const by = { kind: "key", id: context().admin.id };
      const imported = { by, action: "import" };
      expect(body.data).toMatchObject([
        { ...imported, id: "5", before: { version: 4 }, after: { version: 5 } },
        { ...imported, id: "4" },
        { by, action: "activate", id: "3", before: { version: 2 }, after: { version: 3, note: "version 3 again" } },
        { by, action: "activate", id: "2" },
        { ...imported, id: "3" },
        { ...imported, id: "2", after: { version: 2, note: "November" } },
        { by: { kind: "gateway" }, action: "configure", id: "1" },
      ]);
    });

    describe("what is wrong is named", () => {
      const good = litellm(1e-6);
      test.each<[string, unknown, string | null]>([
        ["", good, "format"],
        ["format=csv", good, "format"],
        ["format=litellm&skip_invalid=1", good, "skip_invalid"],
        ["format=litellm&skip=1", good, "skip"],
        ["format=litellm&note=", good, "note"],
        ["format=litellm", "[]", null],
        ["format=litellm", "{", null],
        ["format=litellm", "", null],
        ["format=litellm", "{}", null],
        ["format=litellm", '{"a":{},"a":{}}', null],
        ["format=litellm", '{"a":{"input_cost_per_token":NaN,"output_cost_per_token":1}}', "a.input_cost_per_token"],
        ["format=models.dev", { openai: {} }, "openai.models"],
        ["format=tollgate", { models: {} }, null],
        ["format=tollgate", { model: [] }, null],
        ["format=tollgate", { models: [{ id: "a", prices: {}, price: {} }] }, "models[0].price"],
        ["format=tollgate", { models: [{ id: "a", prices: { input: -1 } }] }, "models[0].prices.input"],
        ["format=tollgate", { models: [{ id: "a", prices: { inputs: 1 } }] }, "models[0].prices.inputs"],
        ["format=tollgate", '{"models":[{"id":"a","prices":{"input":0.1}},{"id":"a","prices":{}}]}', "models[1].id"],
      ])("import %s of %j", async (query, body, param) => {
        const before = (await send("GET", "/prices?limit=1")).body.data;
        const answer = await importing(query, body);
        expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
        expect((await send("GET", "/prices?limit=1")).body.data).toEqual(before);
      });

      test.each([
        ["GET", "/prices/99", 404, "version"],
        ["GET", "/prices/0", 400, "version"],
        ["GET", "/prices/newest", 400, "version"],
        ["GET", "/prices/current?model=nothing", 404, "model"],
        ["GET", "/prices/99/export", 404, "version"],
        ["GET", "/prices/diff?from=1", 400, "to"],
        ["GET", "/prices/diff?from=1&to=99", 404, "version"],
        ["POST", "/prices/99/activate", 404, "version"],
        ["POST", "/prices/current/activate", 400, "version"],
      ] as const)("%s %s", async (method, path, status, param) => {
        const body = method === "POST" ? {} : undefined;
        expect(await send(method, path, body)).toMatchObject({ status, body: { error: { param } } });
      });

      test("a file of more than 16 MiB, and a key that is not an admin's", async () => {
        const body = JSON.stringify({ a: "x".repeat(16 * 1024 * 1024) });
        expect(await importing("format=litellm", body)).toMatchObject({ status: 413 });
        const { key } = context().gateway;
        expect(await send("POST", "/prices/import?format=litellm", {}, key)).toMatchObject({ status: 403 });
        expect(await send("GET", "/prices", undefined, key)).toMatchObject({ status: 403 });
      });
    });
  },
  { models: [{ id: "unpriced", prices: null }], prices: { bundled: false } },
);
