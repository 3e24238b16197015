import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { reportedUsage } from "./reported-usage.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Counts of providers that cannot be: each request leaves its one record all the same, with an amount that can be. */

const counts = ["9007199254740993", "1e25", "1e400", "-5", "-9007199254740993", "1.5", '"12"', "null", "[1]", "{}"];
const dialects = Object.keys(reportedUsage);
const nameOf = (dialect: string, kind: string, index: number) => `${dialect}-${kind}-${index}`;

function answering(type: string, body: string): Behaviour {
  return (response) => void response.writeHead(200, { "content-type": type }).end(body);
}

describe.skipIf(process.platform !== "linux")("impossible counts", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    const models = Object.entries(reportedUsage).flatMap(([dialect, { whole, stream }]) =>
      counts.flatMap((count, index) => [
        [nameOf(dialect, "whole", index), { dialect, behave: answering("application/json", whole(count)) }] as const,
        [nameOf(dialect, "stream", index), { dialect, behave: answering("text/event-stream", stream(count)) }] as const,
      ]),
    );
    gateway = await startWatchedGateway({ models: Object.fromEntries(models) });
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  test.each(dialects.flatMap((dialect) => [false, true].map((stream) => [dialect, stream] as const)))(
    "of %s (stream: %p)",
    async (dialect, stream) => {
      const ids: string[] = [];
      const kind = stream ? "stream" : "whole";
      const name = `${counts.length} impossible counts of ${dialect} (${kind})`;
      const { stall, unrecorded } = await gateway.attack(name, async () => {
        for (const index of counts.keys()) {
          const response = await gateway.chat({ model: nameOf(dialect, kind, index), stream });
          const text = await response.text();
          expect({ count: counts[index], status: response.status, text }).toMatchObject({ status: 200 });
          expect(text).toContain("Hello");
          ids.push(response.headers.get("x-service-request-id") ?? "");
        }
      });
      expect(stall).toBeLessThan(maxStall);
      expect(unrecorded).toBe(0);
      for (const id of ids) {
        const record = await gateway.record(id);
        expect(record).toMatchObject({ status: "succeeded" });
        expect(record.billing.amount_microusd).toBeWithin(1, 1_000);
        expect(record.usage.total_tokens).toBeWithin(1, 1_000);
      }
    },
  );
});
