import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type BenchBrowser, goWithin, openBrowser, scroll } from "./console/browser.ts";
import { type BenchGateway, prepareGateway } from "./console/gateway.ts";
import { longestHold } from "./console/hold.ts";
import { cleanUp, cleanUpOnSignals } from "./processes.ts";
import { median } from "./results/statistics.ts";
import { formatTable } from "./results/table.ts";
import { keyOf, month } from "./usage/make-record.ts";
import { fillSqlite } from "./usage/fill.ts";

/**
 * Drives the console with a browser over a gateway on many records, and prints how long pages take, what scrolling costs,
 * and how long the gateway let others wait meanwhile.
 *
 *   scripts/bun.sh bench/console.ts [--records 10000000] [--keys 10] [--folder DIR] [--url postgres://...] [--runs 5]
 *
 * The records are those of `bench/usage.ts`, whose file in the same folder it uses. With `--url` it uses that database, as
 * `bench/usage.ts` has filled it.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "10000000" },
    keys: { type: "string", default: "10" },
    folder: { type: "string", default: "build/bench-console" },
    url: { type: "string" },
    runs: { type: "string", default: "5" },
    /** Seconds of scrolling. */
    scroll: { type: "string", default: "10" },
  },
});

const runs = Number(values.runs);
const range = `range=${month.from / 1_000}-${month.to / 1_000 + 9 * 86_400}`;
const firstRow = "[data-row='0']";
const answered = `${firstRow}, [data-empty]`;

type Row = readonly [what: string, median: string, longest: string, bar: string];

const ms = (value: number) => `${value.toFixed(0)} ms`;
const figures = (what: string, times: readonly number[], bar: number): Row => {
  const middle = median(times);
  return [what, ms(middle), ms(Math.max(...times)), `${ms(bar)}${middle > bar ? ", missed" : ""}`];
};

async function repeat(run: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < runs; count += 1) times.push(await run());
  return times;
}

/** Cold starts: from the start of the process to a page that can be used, and the bytes of its files. */
async function measureStart(gateway: BenchGateway): Promise<Row[]> {
  await gateway.start();
  const browser = await openBrowser(gateway);
  const first: number[] = [];
  const whole: number[] = [];
  const times = await repeat(async () => {
    await gateway.stop();
    const { page, context } = await browser.open();
    const startedAt = performance.now();
    await gateway.start();
    await page.goto(`${gateway.url}/console/requests?${range}`, { waitUntil: "commit" });
    await page.waitForSelector("main h1");
    const took = performance.now() - startedAt;
    first.push(await loadedBytes(page));
    await page.waitForSelector(firstRow);
    await page.waitForLoadState("networkidle");
    whole.push(await loadedBytes(page));
    await context.close();
    return took;
  });
  await browser.close();
  await gateway.stop();
  const sizes: [string, number][] = [
    ["first load of the requests, gzipped", median(first) / 1_000],
    ["the same, with what is loaded afterwards for later use", median(whole) / 1_000],
  ];
  return [
    figures("start of the gateway to a page that can be used", times, 1_000),
    ...sizes.map(([what, size], place): Row => {
      const bar = place > 0 ? "" : `200 kB${size > 200 ? ", missed" : ""}`;
      return [what, `${size.toFixed(0)} kB`, "", bar];
    }),
  ];
}

/** The bytes of the page and its files, as they came. */
function loadedBytes(page: Page): Promise<number> {
  return page.evaluate<number>(`performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .filter(({ name }) => new URL(name).pathname.startsWith("/console/")).reduce((sum, entry) => sum + entry.encodedBodySize, 0)`);
}

/** Filters, each of which few or many of the records meet. */
const filters: readonly (readonly [name: string, query: string])[] = [
  ["a model", "model=gpt-5"],
  ["a model that one of 10,000 asked for", "model=rare"],
  ["an endpoint", "endpoint=/v1/messages"],
  ["failed or refused", "status=failed,refused"],
  ["a provider", "provider=second"],
  ["a provider that was never asked", "provider=none"],
  ["a key", `key=${keyOf(3)}`],
  ["an account", "account=team-b"],
  ["a tag", "tag=team%3Dt1"],
  ["an end user", "end_user=user-7"],
  ["0.03 USD and more", "min_cost=0.03"],
  ["100 seconds and more", "min_latency=100000"],
  ["a model, 30 seconds and more, failed", "model=gpt-5&min_latency=30000&status=failed"],
];

async function measurePages(gateway: BenchGateway, browser: BenchBrowser): Promise<Row[]> {
  const { page } = await browser.open();
  const rows: Row[] = [];
  await page.goto(`${gateway.url}/console/settings`);
  await page.waitForSelector("h1");
  let turn = 0;
  // A range of its own each time: what was asked before is at hand.
  const other = () => `range=${month.from / 1_000 - 900 * (turn += 1)}-${month.to / 1_000 + 9 * 86_400}`;
  rows.push(
    figures(
      "first rows of the requests",
      await repeat(async () => {
        await goWithin(page, `/?${range}`, "table tbody tr");
        return goWithin(page, `/requests?${other()}`, firstRow);
      }),
      300,
    ),
  );
  for (const [name, query] of filters) {
    const times = await repeat(async () => {
      const shown = other();
      await goWithin(page, `/requests?${shown}`, firstRow);
      return goWithin(page, `/requests?${shown}&${query}`, answered);
    });
    rows.push(figures(`filter: ${name}`, times, 300));
  }
  for (const by of ["model", "key", "account", "endpoint", "provider"]) {
    const times = await repeat(async () => {
      await goWithin(page, `/requests?${range}`, "[role=table]");
      return goWithin(page, `/?${other()}&by=${by}`, "table tbody tr");
    });
    rows.push(figures(`overview of 40 days by ${by}`, times, 300));
  }
  const latency = await repeat(async () => {
    await goWithin(page, `/requests?${range}`, "[role=table]");
    return goWithin(page, `/?${other()}&metric=latency`, "table tbody tr");
  });
  rows.push(figures("overview of 40 days, latency over time", latency, 300));
  await goWithin(page, `/requests?${other()}`, firstRow);
  const frames = await scroll(page, Number(values.scroll));
  rows.push([
    `frames while ${frames.rows} rows are scrolled (${frames.count} frames)`,
    `${frames.long} over 50 ms`,
    ms(frames.longest),
    `50 ms${frames.longest > 50 ? ", missed" : ""}`,
  ]);
  await page.context().close();
  return rows;
}

/** How long a caller waits at most while all of the records are exported. */
async function measureExport(gateway: BenchGateway, browser: BenchBrowser): Promise<Row[]> {
  const { page, context } = await browser.open();
  await page.goto(`${gateway.url}/console/`);
  const rows = 50_000;
  const hold = longestHold(gateway.url);
  const took = await page.evaluate<number>(`(async () => {
    const startedAt = performance.now();
    const answer = await fetch("/api/admin/usage/export?format=csv");
    const reader = answer.body.getReader();
    let lines = 0;
    while (lines < ${rows}) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const byte of value) if (byte === 10) lines += 1;
    }
    await reader.cancel();
    return performance.now() - startedAt;
  })()`);
  await context.close();
  return [
    [`export of ${rows} records as CSV`, ms(took), "", ""],
    ["longest wait of another caller meanwhile", "", ms(await hold.stop()), "50 ms"],
  ];
}

async function run(): Promise<void> {
  mkdirSync(values.folder, { recursive: true });
  const file = join(values.folder, `records-${values.records}-${values.keys}.db`);
  if (values.url === undefined && !existsSync(file))
    await fillSqlite(file, Number(values.records), Number(values.keys));
  if (!readdirSync(join(import.meta.dir, "..")).includes("build")) throw new Error("Build first: scripts/build.ts");
  const gateway = await prepareGateway(values.url ?? `sqlite:${file}`, join(values.folder, "console"));
  const rows = await measureStart(gateway);
  await gateway.start();
  const browser = await openBrowser(gateway);
  const hold = longestHold(gateway.url);
  rows.push(...(await measurePages(gateway, browser)));
  rows.push(["longest wait of another caller meanwhile", "", ms(await hold.stop()), "50 ms"]);
  rows.push(...(await measureExport(gateway, browser)));
  await browser.close();
  const title = `The console over ${values.records} records, ${values.url === undefined ? "SQLite" : "Postgres"}`;
  console.log(formatTable(title, ["what", "median", "longest", "bar"], rows));
}

cleanUpOnSignals();
try {
  await run();
} finally {
  await cleanUp();
}
