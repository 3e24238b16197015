import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chunk } from "./answers.testkit.ts";
import { writeForever } from "./hostile-provider.testkit.ts";
import { openStalled } from "./stalled-readers.testkit.ts";
import { startWatchedGateway } from "./watched-gateway.testkit.ts";

/** What the gateway holds for callers that read nothing more of an answer that comes fast and never ends. */

const firstReaders = 20;
const furtherReaders = 80;
const maxBytesOfReader = 256 << 10;
/** Long enough for a provider that is not held back to fill the memory, and for what waits to be made small. */
const fillMs = 3_000;
/** By when memory that was freed must have been given back. */
const freedMs = 60_000;

const chunks = (count: number, content: () => string) => Array.from({ length: count }, () => chunk(content())).join("");
/** A megabyte that is sent over and over; only what is within 32 KB of its like can be compressed. */
const contents = {
  "repeats itself": chunks(64, () => "x".repeat(16_000)),
  "cannot be compressed": chunks(64, () => randomBytes(12_000).toString("base64")),
};

test.skipIf(process.platform !== "linux").each(Object.entries(contents))(
  "a stalled reader of an answer that %s holds at most 256 KB",
  async (_, text) => {
    const bytes = Buffer.from(text);
    const gateway = await startWatchedGateway({
      models: {
        fast: {
          dialect: "openai-chat",
          behave(response) {
            response.writeHead(200, { "content-type": "text/event-stream" });
            writeForever(response, bytes);
          },
        },
      },
    });
    try {
      // The first readers pay for what a gateway keeps for any number of them.
      const connections = await openStalled(gateway, "fast", firstReaders);
      await Bun.sleep(fillMs);
      const before = await gateway.heldMemory();
      connections.push(...(await openStalled(gateway, "fast", furtherReaders)));
      await Bun.sleep(fillMs);
      const perReader = async () => ((await gateway.heldMemory()) - before) / furtherReaders;
      const endsAt = performance.now() + freedMs;
      let held = await perReader();
      while (held >= maxBytesOfReader && performance.now() < endsAt) held = await perReader();
      for (const connection of connections) connection.reset();
      expect(held).toBeLessThan(maxBytesOfReader);
    } finally {
      await gateway.stop();
    }
  },
  120_000,
);
