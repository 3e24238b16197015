import { expect, test } from "bun:test";
import { startCallTimer } from "./call-timer.ts";
import { createDeadlines } from "./deadlines.ts";
import type { UpstreamFault } from "./fault.ts";

test("a first byte that is due before a connection is waited for no longer", () => {
  const clock = { time: 1_000, now: () => clock.time };
  const deadlines = createDeadlines(clock);
  const faults: UpstreamFault[] = [];
  const timer = startCallTimer({
    clock,
    deadlines,
    timeouts: { connectMs: 5_000, firstByteMs: 500, idleMs: 500, totalMs: 9_000 },
    url: "http://127.0.0.1:1/",
    onExpired: (fault) => faults.push(fault),
  });
  clock.time += 499;
  deadlines.check();
  deadlines.check();
  expect(faults).toEqual([]);
  clock.time += 1;
  // The first look has the connection judged, the second ends the wait.
  deadlines.check();
  deadlines.check();
  expect(faults.map(({ kind }) => kind)).toEqual(["first_byte_timeout"]);
  timer.stop();
});
