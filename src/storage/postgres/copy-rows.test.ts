import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client } from "pg";
import { failureOf } from "../../records/failure-of.testkit.ts";
import { connectionConfig } from "./connection.ts";
import { copyRows } from "./copy-rows.ts";
import { createTestDatabase } from "./test-database.testkit.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client(connectionConfig(database.url));
  await client.connect();
}, 60_000);
afterAll(async () => {
  await client.end();
  await database.drop();
});

const texts = ["", "\\N", "\\", "a\tb\nc\rd\\te", "\b\f\v", "ü 😀", '{"a":"\\"b\\\\"}', null];

async function rowsOf(query: string): Promise<object[]> {
  const rows: object[] = [];
  expect(await copyRows(client, query, (row) => rows.push(row))).toBe(rows.length);
  return rows;
}

test("gives texts, nulls and numbers as they are", async () => {
  await client.query("create table texts (place bigint, body text)");
  for (const [place, text] of texts.entries()) {
    await client.query("insert into texts values ($1, $2)", [place, text]);
  }
  const query = "select place, body, null::integer as nothing, -place as less from texts order by place";
  expect(await rowsOf(query)).toEqual(
    texts.map((body, place) => ({ place, body, nothing: null, less: place === 0 ? 0 : -place })),
  );
  expect(await rowsOf("select 1 as one from texts where false")).toEqual([]);
});

test("fails as the query or its reader does, and leaves the connection usable", async () => {
  expect(await failureOf(rowsOf("select nothing from nowhere"))).toMatchObject({ code: "42P01" });
  expect(await failureOf(rowsOf("select 1 / (2 - n) as part from generate_series(1, 3) as n"))).toMatchObject({
    code: "22012",
  });
  const refuse = () => {
    throw new Error("unreadable");
  };
  const failure = await failureOf(copyRows(client, "select * from generate_series(1, 10000) as n", refuse));
  expect(failure).toMatchObject({ message: "unreadable" });
  expect(await rowsOf("select 7 as seven")).toEqual([{ seven: 7 }]);
});
