import { dlopen, FFIType, ptr } from "bun:ffi";

/**
 * The few calls of the C library that the load client needs. Timers of JavaScript fire by whole milliseconds, far too
 * coarse to send ten thousand requests a second each at its own instant; `ppoll` waits by the nanosecond. Linux only.
 */
const libc = dlopen("libc.so.6", {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  connect: { args: ["i32", "ptr", "u32"], returns: "i32" },
  setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
  send: { args: ["i32", "ptr", "u64", "i32"], returns: FFIType.i64_fast },
  recv: { args: ["i32", "ptr", "u64", "i32"], returns: FFIType.i64_fast },
  ppoll: { args: ["ptr", "u64", "ptr", "ptr"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
}).symbols;

const addressFamilyInet = 2;
const socketStream = 1;
const protocolTcp = 6;
const optionNoDelay = 1;
const sendWithoutSignal = 0x4000;
const receiveWithoutWaiting = 0x40;
const setTimerSlack = 29;
const pollIn = 1;

/** Lets waits end on the nanosecond asked for, rather than up to 50 microseconds later. */
export function sharpenTimers(): void {
  libc.prctl(setTimerSlack, 1, 0, 0, 0);
}

/** A connected TCP socket to 127.0.0.1, or an error. Blocking while it connects, which on loopback is no wait. */
export function openConnection(port: number): number {
  const descriptor = libc.socket(addressFamilyInet, socketStream, protocolTcp);
  if (descriptor < 0) throw new Error("no socket could be opened: is the limit on open files too low?");
  const address = new Uint8Array(16);
  const view = new DataView(address.buffer);
  view.setUint16(0, addressFamilyInet, true);
  view.setUint16(2, port, false);
  address.set([127, 0, 0, 1], 4);
  if (libc.connect(descriptor, ptr(address), address.length) !== 0) {
    libc.close(descriptor);
    throw new Error(`nothing accepts connections on port ${port}`);
  }
  libc.setsockopt(descriptor, protocolTcp, optionNoDelay, ptr(new Int32Array([1])), 4);
  return descriptor;
}

/** Sends all of `bytes`; false if the other side has gone. A request is far smaller than a socket's buffer. */
export function sendAll(descriptor: number, bytes: Uint8Array): boolean {
  return Number(libc.send(descriptor, ptr(bytes), bytes.length, sendWithoutSignal)) === bytes.length;
}

/** Bytes read into `buffer`; 0 or less if the other side has gone. To be called when `waitForInput` says so. */
export function receive(descriptor: number, buffer: Uint8Array): number {
  return Number(libc.recv(descriptor, ptr(buffer), buffer.length, receiveWithoutWaiting));
}

export function closeConnection(descriptor: number): void {
  libc.close(descriptor);
}

/** The set of descriptors to wait on: `struct pollfd` in a row, an int and two shorts each. */
export interface PollSet {
  readonly words: Int32Array<ArrayBuffer>;
  readonly halves: Int16Array<ArrayBuffer>;
  size: number;
}

export function createPollSet(capacity: number): PollSet {
  const words = new Int32Array(capacity * 2);
  return { words, halves: new Int16Array(words.buffer), size: 0 };
}

/** Puts a descriptor into a slot of the set. */
export function watch(set: PollSet, slot: number, descriptor: number): void {
  set.words[slot * 2] = descriptor;
  set.halves[slot * 4 + 2] = pollIn;
  set.halves[slot * 4 + 3] = 0;
  set.size = Math.max(set.size, slot + 1);
}

/** Whether the slot has something to read, or an end to be told of, after `waitForInput`. */
export function isReadable(set: PollSet, slot: number): boolean {
  return set.halves[slot * 4 + 3] !== 0;
}

const timespec = new BigInt64Array(2);

/** Waits until a descriptor is readable, at most `nanoseconds`. Returns how many are. */
export function waitForInput(set: PollSet, nanoseconds: number): number {
  const bounded = Math.max(0, Math.min(nanoseconds, 1e9));
  timespec[0] = BigInt(Math.floor(bounded / 1e9));
  timespec[1] = BigInt(Math.floor(bounded % 1e9));
  return libc.ppoll(ptr(set.words), set.size, ptr(timespec), null);
}
