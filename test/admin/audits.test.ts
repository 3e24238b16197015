import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { parseStorageUrl } from "../../src/storage/location.ts";
import { until } from "../until.testkit.ts";
import { onBothStorages } from "./admin.testkit.ts";

/** Audits by operators, over HTTP: each runs in a process of its own. */

async function run(storageUrl: string, statement: string): Promise<void> {
  const location = parseStorageUrl(storageUrl);
  if (location.kind === "postgres") {
    await execute(location.url, statement);
    return;
  }
  const writer = new Database(location.path);
  writer.run(statement);
  writer.close();
}

onBothStorages((context) => {
  const audit = async () => {
    const { send } = context();
    const begun = await send("POST", "/audit");
    expect(begun).toMatchObject({ status: 202, body: { object: "audit", status: "running", findings: 0 } });
    const path = `/audits/${String(begun.body["id"])}`;
    await until("the audit has ended", async () => (await send("GET", path)).body["status"] !== "running");
    return (await send("GET", path)).body;
  };

  test("an audit of a sound book has nothing to tell, and says who began it", async () => {
    const { gateway, admin, send } = context();
    await (await gateway.chat()).text();
    // The record reaches the database after its answer.
    await until("the record is stored", async () => Number((await audit())["records"]) >= 1);
    const done = await audit();
    expect(done).toMatchObject({ status: "completed", progress: 1, findings: 0, data: [], error: null });
    expect(done["started_by"]).toEqual({ kind: "key", id: admin.id });
    expect(done["records"]).toBe(1);
    const listed = await send("GET", "/audits?limit=1");
    const { data, ...listedAudit } = done;
    expect(data).toEqual([]);
    expect(listed.body.data).toEqual([listedAudit]);
    expect(listed.body["has_more"]).toBe(true);
    expect(await send("GET", `/audits?limit=1&after=${String(listed.body["next"])}`)).toMatchObject({ status: 200 });
  });

  test("what does not agree is found, and leads to its record or account", async () => {
    const { gateway, send } = context();
    const response = await gateway.chat();
    await response.text();
    const id = response.headers.get("x-service-request-id") ?? "";
    const listedIds = async () => (await send("GET", "/usage/requests?limit=10")).body.data?.map((each) => each["id"]);
    await until("the record is stored", async () => (await listedIds())?.includes(id) === true);
    await run(gateway.storageUrl, `update requests set amount_microusd = amount_microusd + 1 where id = '${id}'`);
    await send("POST", "/accounts", { id: "wrong" });
    await run(gateway.storageUrl, "update accounts set balance_microusd = 7 where id = 'wrong'");
    const done = await audit();
    expect(done).toMatchObject({ status: "completed" });
    expect(done["findings"]).toBe(done.data?.length ?? 0);
    expect(done.data).toContainEqual({
      kind: "charge",
      subject: id,
      message: expect.stringContaining("the record's amount is"),
      concerns: { kind: "request", id },
    });
    expect(done.data).toContainEqual(
      expect.objectContaining({ kind: "balance", concerns: { kind: "account", id: "wrong" } }),
    );
  });

  test("an unknown audit, or one that has ended, cannot be cancelled, and wrong input is named", async () => {
    const { send, gateway } = context();
    const { id } = await audit();
    expect(await send("POST", `/audits/${String(id)}/cancel`)).toMatchObject({
      status: 409,
      body: { error: { code: "audit_not_running" } },
    });
    expect(await send("GET", "/audits/aud_none")).toMatchObject({
      status: 404,
      body: { error: { code: "audit_not_found" } },
    });
    expect(await send("POST", "/audits/aud_none/cancel")).toMatchObject({ status: 404 });
    expect(await send("GET", "/audits?after=1")).toMatchObject({ status: 400, body: { error: { param: "after" } } });
    expect(await send("POST", "/audit", { now: true })).toMatchObject({
      status: 400,
      body: { error: { param: "now" } },
    });
    expect(await send("POST", "/audit", undefined, gateway.key)).toMatchObject({ status: 403 });
  });
});
