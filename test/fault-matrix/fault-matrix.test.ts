import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dialectNames } from "../dialects/names.testkit.ts";
import { observe } from "./cell.testkit.ts";
import { expectedOf } from "./expected.testkit.ts";
import { cellsOf, faults, forms } from "./faults.testkit.ts";
import { type MatrixGateway, startMatrixGateway } from "./gateway.testkit.ts";
import type { Observation } from "./observation.testkit.ts";
import { faultMatrixPage } from "./table.testkit.ts";
import { until } from "../until.testkit.ts";

/**
 * Every fault, for JSON and streams, for each provider dialect, with one and two targets: one request each.
 * `UPDATE_DOCS=1 npm test -- test/fault-matrix` updates docs/fault-matrix.md.
 */

const page = new URL("../../docs/fault-matrix.md", import.meta.url);

/** Concurrent requests. */
const atOnce = 16;

const cells = cellsOf(dialectNames);
const observed = new Map(cells.map((cell) => [cell, Promise.withResolvers<Observation>()]));

let matrix: MatrixGateway;
beforeAll(async () => {
  matrix = await startMatrixGateway(cells);
  const waiting = observed.entries();
  const work = async () => {
    for (const [cell, { promise, resolve, reject }] of waiting) {
      await observe(matrix, cell).then(resolve, reject);
      // Its own test reports it.
      promise.catch(() => undefined);
    }
  };
  for (let worker = 0; worker < atOnce; worker++) void work();
});
afterAll(() => matrix.stop());

for (const { name } of faults) {
  describe(name, () => {
    for (const form of forms) {
      const own = cells.filter((cell) => cell.fault === name && cell.form === form);
      test.each(own.map((cell) => [form, cell.dialect, cell.targets, cell] as const))(
        "%s, %s, targets: %d",
        async (_form, _dialect, _targets, cell) => {
          expect(await observed.get(cell)?.promise).toEqual(expectedOf(cell));
        },
      );
    }
  });
}

test("every request leaves exactly one record", async () => {
  await Promise.allSettled([...observed.values()].map(({ promise }) => promise));
  const database = new Database(matrix.gateway.storageUrl.slice("sqlite:".length), { readonly: true });
  const query = database.query<{ model: string }, []>("select model from requests");
  // Records follow into the database a moment after their answers.
  await until("every record is in the database", () => query.all().length >= cells.length);
  const rows = query.all();
  database.close();
  expect(rows.map(({ model }) => model).toSorted()).toEqual(cells.map(({ id }) => id).toSorted());
});

test("docs/fault-matrix.md matches the observations", async () => {
  const seen = [...observed].map(async ([cell, { promise }]) => ({ cell, observation: await promise }));
  const text = faultMatrixPage(await Promise.all(seen));
  if (process.env["UPDATE_DOCS"] === "1") await Bun.write(page, text);
  expect(await Bun.file(page).text()).toBe(text);
});
