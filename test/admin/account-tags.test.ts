import { expect, test } from "bun:test";
import { until } from "../until.testkit.ts";
import { type AdminGateway, onBothStorages } from "./admin.testkit.ts";

/** What the tags of an account's requests have to be. */

onBothStorages((context) => {
  const send: AdminGateway["send"] = (...words) => context().send(...words);
  let last = 0;
  async function newAccount() {
    const id = `tagged-${(last += 1)}`;
    await send("POST", "/accounts", { id });
    const { key } = await context().gateway.newKey({ accountId: id });
    return { id, key };
  }
  async function ask(key: string, tags: string | null, { gateway } = context()) {
    const headers = { authorization: `Bearer ${key}`, ...(tags === null ? {} : { "X-Service-Tags": tags }) };
    const response = await gateway.chat({}, { headers });
    const { error = null } = (await response.json()) as { readonly error?: { readonly message: string } };
    return { status: response.status, message: error?.message ?? null };
  }

  test("requests without a required tag, or with a value that is not allowed, are refused by the tag's name", async () => {
    const { id, key } = await newAccount();
    expect(await ask(key, null)).toEqual({ status: 200, message: null });
    const policy = { required: ["team"], allowed: { env: ["prod", "staging"] } };
    expect(await send("PUT", `/accounts/${id}/tags`, policy)).toMatchObject({ status: 200, body: policy });
    expect((await send("GET", `/accounts/${id}/tags`)).body).toEqual(policy);
    const missing = "The account of this API key requires the tag 'team': send it in the header X-Service-Tags.";
    expect(await ask(key, null)).toEqual({ status: 400, message: missing });
    expect(await ask(key, "env=prod")).toEqual({ status: 400, message: missing });
    expect(await ask(key, "team=a, env=dev")).toEqual({
      status: 400,
      message: "The account of this API key does not allow the value 'dev' of the tag 'env', only: prod, staging.",
    });
    expect(await ask(key, "team=a")).toMatchObject({ status: 200 });
    expect(await ask(key, "team=a, env=prod, other=x")).toMatchObject({ status: 200 });
    // Other accounts are not concerned, and a fixed tag is as good as a header.
    expect(await ask(context().gateway.key, null)).toMatchObject({ status: 200 });
    const fixed = await context().gateway.newKey({ accountId: id, tags: { team: "b" } });
    expect(await ask(fixed.key, null)).toMatchObject({ status: 200 });

    await until("the other gateway", async () => {
      return (await ask(key, null, { ...context(), gateway: context().other })).status === 400;
    });
    await send("PUT", `/accounts/${id}/tags`, {});
    expect(await ask(key, null)).toMatchObject({ status: 200 });
    const trail = (await send("GET", `/changes?kind=account&id=${id}`)).body.data ?? [];
    expect(trail.filter(({ action }) => action === "tags")).toMatchObject([
      { before: { tags: policy }, after: null },
      { before: null, after: { tags: policy } },
    ]);
  });

  test.each([
    [{ required: ["Team"] }, "tags"],
    [{ required: ["team", "team"] }, "tags"],
    [{ required: Array.from({ length: 17 }, (_, index) => `n${index}`) }, "tags"],
    [{ allowed: { env: [] } }, "tags"],
    [{ allowed: { env: ["a,b"] } }, "tags"],
    [{ allowed: { env: Array.from({ length: 101 }, (_, index) => `v${index}`) } }, "tags"],
    [{ required: "team" }, "required"],
    [{ allowed: { env: "prod" } }, "allowed.env"],
    [{ requires: ["team"] }, "requires"],
  ])("refuses %j", async (body, param) => {
    const { id } = await newAccount();
    const refused = await send("PUT", `/accounts/${id}/tags`, body);
    expect(refused).toMatchObject({ status: 400, body: { error: { param } } });
    expect((await send("GET", `/accounts/${id}/tags`)).body).toEqual({ required: [], allowed: {} });
  });

  test("of an unknown account are not found", async () => {
    expect(await send("PUT", "/accounts/nobody/tags", { required: ["team"] })).toMatchObject({ status: 404 });
    expect(await send("GET", "/accounts/nobody/tags")).toMatchObject({ status: 404 });
  });
});
