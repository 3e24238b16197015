import { dlopen, FFIType, ptr } from "bun:ffi";
import { openSync } from "node:fs";

const libc = dlopen("libc.so.6", {
  clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
  pread: { args: ["i32", "ptr", "u64", "i64"], returns: FFIType.i64_fast },
}).symbols;

const clockOfThread = 3;
const [space, zero] = [0x20, 0x30];
// Over buffers of their own: the memory of a small typed array without one may move, and its address is kept.
const time = new Uint32Array(new ArrayBuffer(16));
const text = Buffer.from(new ArrayBuffer(128));
const [timeAddress, textAddress] = [ptr(time), ptr(text)];
const statistics = openSync("/proc/thread-self/schedstat", "r");

/** CPU time of the calling thread so far, in nanoseconds. To be called on one thread only, the one that loaded this. */
export function threadCpu(): number {
  libc.clock_gettime(clockOfThread, timeAddress);
  // Seconds and nanoseconds are 64 bits each; the lower halves suffice.
  return (time[0] ?? 0) * 1e9 + (time[2] ?? 0);
}

/** The scheduler's counters of the same thread so far. One object for all calls, as they are thousands a second. */
const scheduled = {
  /** For how long it was ready to run and had no core. Nanoseconds. */
  delay: 0,
  /** How often it got a core: after a sleep, or after another had it. */
  slices: 0,
};

export function threadSchedule(): Readonly<typeof scheduled> {
  // "<ns on a core> <ns waiting for one> <how often it got one>\n"
  const length = Number(libc.pread(statistics, textAddress, text.length, 0));
  const second = text.indexOf(space) + 1;
  const third = text.indexOf(space, second) + 1;
  scheduled.delay = digits(second, third - 1);
  scheduled.slices = digits(third, length - 1);
  return scheduled;
}

function digits(from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++) number = number * 10 + (text[index] ?? zero) - zero;
  return number;
}
