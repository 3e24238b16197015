import { type Answer, readAnswer, startAnswer } from "./answer.ts";
import {
  closeConnection,
  createPollSet,
  isReadable,
  openConnection,
  type PollSet,
  receive,
  sendAll,
  waitForInput,
  watch,
} from "./libc.ts";

interface Connection {
  readonly slot: number;
  descriptor: number;
  answer: Answer;
  /** When its request was due, in nanoseconds. */
  due: number;
  /** When the first byte of its answer's body came; 0 before. */
  firstChunk: number;
}

/** Connections to one server, one request in flight on each, and what came of them. */
export interface Pool {
  readonly port: number;
  readonly request: Uint8Array;
  readonly polls: PollSet;
  readonly connections: Connection[];
  readonly idle: Connection[];
  readonly limit: number;
  readonly counts: { answered: number; refused: number; broken: number };
  /** Nanoseconds, one entry a request. */
  readonly latencies: number[];
  readonly firstChunks: number[];
  readonly sendDelays: number[];
}

const input = Buffer.alloc(256 * 1024);

export function createPool(port: number, request: Uint8Array, limit: number): Pool {
  return {
    port,
    request,
    limit,
    polls: createPollSet(limit),
    connections: [],
    idle: [],
    counts: { answered: 0, refused: 0, broken: 0 },
    latencies: [],
    firstChunks: [],
    sendDelays: [],
  };
}

export function inFlight(pool: Pool): number {
  return pool.connections.length - pool.idle.length;
}

/** Streams whose first chunk has come. */
export function begun(pool: Pool): number {
  return pool.connections.filter((connection) => connection.firstChunk > 0).length;
}

/** Sends one request that was due at `due` (nanoseconds). False if every connection allowed is busy. */
export function sendRequest(pool: Pool, due: number): boolean {
  const connection = pool.idle.pop() ?? addConnection(pool);
  if (connection === null) return false;
  connection.answer = startAnswer();
  connection.due = due;
  connection.firstChunk = 0;
  pool.sendDelays.push(Bun.nanoseconds() - due);
  if (!sendAll(connection.descriptor, pool.request)) replace(pool, connection);
  return true;
}

/** Waits for answers, at most `nanoseconds`, and books those that came. */
export function receiveAnswers(pool: Pool, nanoseconds: number): void {
  if (waitForInput(pool.polls, nanoseconds) <= 0) return;
  for (const connection of pool.connections) {
    if (isReadable(pool.polls, connection.slot)) receiveOn(pool, connection);
  }
}

function receiveOn(pool: Pool, connection: Connection): void {
  const length = receive(connection.descriptor, input);
  if (length <= 0) return replace(pool, connection);
  const now = Bun.nanoseconds();
  const complete = readAnswer(connection.answer, input, length);
  if (connection.firstChunk === 0 && (complete || connection.answer.begun)) connection.firstChunk = now;
  if (!complete) return;
  if (connection.answer.status === 200) pool.counts.answered++;
  else pool.counts.refused++;
  pool.latencies.push(now - connection.due);
  pool.firstChunks.push(connection.firstChunk - connection.due);
  pool.idle.push(connection);
}

function addConnection(pool: Pool): Connection | null {
  if (pool.connections.length >= pool.limit) return null;
  const slot = pool.connections.length;
  const descriptor = openConnection(pool.port);
  const connection = { slot, descriptor, answer: startAnswer(), due: 0, firstChunk: 0 };
  pool.connections.push(connection);
  watch(pool.polls, slot, descriptor);
  return connection;
}

/** A connection that the server closed. It counts as broken only if a request was in flight on it. */
function replace(pool: Pool, connection: Connection): void {
  closeConnection(connection.descriptor);
  connection.descriptor = openConnection(pool.port);
  watch(pool.polls, connection.slot, connection.descriptor);
  if (pool.idle.includes(connection)) return;
  pool.counts.broken++;
  pool.idle.push(connection);
}
