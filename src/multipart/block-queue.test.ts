import { expect, test } from "bun:test";
import fc from "fast-check";
import { BlockQueue } from "./block-queue.ts";

test("bytes come out as they went in, however they are added and taken", () => {
  const added = fc.record({ kind: fc.constant("add" as const), length: fc.nat(300_000) });
  const taken = fc.record({ kind: fc.constant("take" as const) });
  fc.assert(
    fc.property(fc.array(fc.oneof(added, taken), { maxLength: 12 }), (steps) => {
      const queue = new BlockQueue();
      const given: Buffer[] = [];
      const found: Buffer[] = [];
      const take = () => {
        const bytes = queue.take();
        if (bytes === null) return false;
        found.push(Buffer.from(bytes));
        queue.giveBack(bytes);
        return true;
      };
      for (const [place, step] of steps.entries()) {
        if (step.kind === "take") {
          take();
          continue;
        }
        const bytes = Buffer.alloc(step.length, place + 1);
        given.push(Buffer.from(bytes));
        queue.add(bytes);
        // What was added is a copy.
        bytes.fill(0);
      }
      while (take());
      expect(Buffer.concat(found).equals(Buffer.concat(given))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
