import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";
import { createPayer } from "../money/payer.testkit.ts";
import { findingsOf } from "../money/scene.testkit.ts";
import { until } from "../until.testkit.ts";
import { type HostileProvider, startHostileProvider } from "./hostile-provider.testkit.ts";
import { requestOf, secondMicrousd, type ShownVideo, videosOf } from "./videos.testkit.ts";

/** Jobs that go on under another configuration than they were begun with. */

const film = 4 * secondMicrousd;
let folder: string;
let provider: HostileProvider;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-restarts-"));
  provider = startHostileProvider();
});
afterAll(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Changed = Pick<TestGatewayOptions, "models" | "providers">;

/** Begins a job, and ends it under a changed configuration. */
async function endedUnder(changed: Changed, { forHours = 0 } = {}) {
  const own = mkdtempSync(join(folder, "run-"));
  const clock = createTestClock();
  const options = { folder: own, storageUrl: `sqlite:${join(own, "tollgate.db")}`, clock };
  const prompt = crypto.randomUUID();
  let isMade = false;
  provider.plan(prompt, { poll: (_, job) => (isMade ? job : { ...job, status: "in_progress" }) });
  const before = await startTestGateway({
    ...options,
    providers: () => [{ id: "hostile", dialects: ["openai-chat"], baseUrl: provider.url }],
    models: [
      {
        id: "film",
        endpoints: ["videos"],
        targets: [{ provider: "hostile", model: "film" }],
        prices: { video_second: secondMicrousd },
      },
    ],
  });
  const storage = await openStorage(options.storageUrl);
  const payer = await createPayer(before, storage, 10 * film);
  const { id } = (await (await videosOf(before, payer.key).post({ model: "film", prompt })).json()) as ShownVideo;
  expect(await payer.account()).toMatchObject({ held_microusd: film + 6 });
  await before.stop();
  isMade = true;
  clock.advance(forHours * 3_600_000);
  const after = await startTestGateway({ ...options, ...changed });
  const shown = await videosOf(after, payer.key).ended(id);
  await until("the end", async () => {
    // The jobs of providers that are gone are looked for every minute.
    clock.advance(5_000);
    return (await storage.videoJobs.findAnyones(id))?.phase === "over";
  });
  const providerCost = (await storage.videoJobs.findAnyones(id))?.providerCostMicrousd;
  const record = await after.record(requestOf(id), payer.key);
  const balance = await storage.accounts.balance(payer.id);
  const findings = await findingsOf(storage);
  await storage.close();
  await after.stop();
  return { shown, providerCost, amount: record.billing.amount_microusd, balance, findings };
}

const hostile: NonNullable<TestGatewayOptions["providers"]> = () => [
  { id: "hostile", dialects: ["openai-chat"], baseUrl: provider.url },
];

test.each([
  ["its model is gone", []],
  [
    "its price is another",
    [
      {
        id: "film",
        endpoints: ["videos"],
        targets: [{ provider: "hostile", model: "film" }],
        prices: { video_second: 50 * secondMicrousd },
      },
    ],
  ],
])("a film is charged as it was begun though %s", async (_, models) => {
  expect(await endedUnder({ providers: hostile, models })).toMatchObject({
    shown: { status: "completed" },
    amount: film,
    balance: { balanceMicrousd: 9 * film, heldMicrousd: 0 },
    findings: [],
  });
});

test("a job whose provider is gone has failed at its deadline, and holds nothing", async () => {
  expect(await endedUnder({}, { forHours: 2 })).toMatchObject({
    shown: { status: "failed", error: { code: "deadline_exceeded" } },
    amount: 0,
    balance: { balanceMicrousd: 10 * film, heldMicrousd: 0 },
    findings: [],
  });
});

test("what a provider has made too late is known though its model is gone", async () => {
  expect(await endedUnder({ providers: hostile, models: [] }, { forHours: 2 })).toMatchObject({
    shown: { status: "failed", error: { code: "deadline_exceeded" } },
    amount: 0,
    providerCost: film,
  });
});
