/**
 * Watches how long the event loop of the process is held up; preloaded into a gateway (`bun --preload`), whose code does
 * not know of it. On SIGUSR2 it writes a `LoopReport` on what happened since the last.
 *
 * Bun does not tell when a turn of its loop ends. An immediate runs once in each turn, so a chain of immediates marks
 * every turn exactly; but while one waits, the loop does not sleep. So the chain goes on only as long as the loop has work, and a timer
 * of 1 ms begins it anew: an idle process is woken a thousand times a second, a busy one pays some microseconds a turn.
 */
import { createTally } from "./holds.ts";
import { reportOnSignal } from "./report-on-signal.ts";
import { threadCpu, threadSchedule } from "./thread-clock.ts";

const timerMilliseconds = 1;
/** A turn that did less was idle: it ends the chain. Nanoseconds. */
const idleBelow = 50_000;

if (Bun.isMainThread) watchLoop();

function watchLoop(): void {
  const tally = createTally();
  let windowStart = Bun.nanoseconds();
  let [markedAt, cpuAt] = [windowStart, threadCpu()];
  let { delay: delayAt, slices: slicesAt } = threadSchedule();
  let due = windowStart + timerMilliseconds * 1e6;
  let chained = false;

  /** Ends a turn. Returns how long it lasted, in nanoseconds. */
  const mark = (now: number): number => {
    const cpu = threadCpu();
    const { delay, slices } = threadSchedule();
    const wall = now - markedAt;
    // A thread that got a core only once has slept and was woken late, by a virtual machine for one; it did not block.
    const late = slices - slicesAt > 1 ? Math.max(0, now - due) : 0;
    tally.add({ wall, cpu: cpu - cpuAt, delay: delay - delayAt, late: chained ? null : late });
    [markedAt, cpuAt, delayAt, slicesAt] = [now, cpu, delay, slices];
    return wall;
  };
  const onImmediate = () => {
    const wall = mark(Bun.nanoseconds());
    chained = wall >= idleBelow;
    if (chained) setImmediate(onImmediate).unref();
  };
  const onTimer = () => {
    const now = Bun.nanoseconds();
    mark(now);
    due = now + timerMilliseconds * 1e6;
    if (!chained) setImmediate(onImmediate).unref();
    chained = true;
  };
  setInterval(onTimer, timerMilliseconds).unref();
  reportOnSignal(() => {
    const now = Bun.nanoseconds();
    const report = tally.take(now - windowStart);
    windowStart = now;
    return report;
  });
}
