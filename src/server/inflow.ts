import type { Socket } from "bun";
import { nextTurn } from "../next-turn.ts";

/** Bytes of one read of a socket that are only a part of what it holds: Bun goes on to read up to eleven times as much. */
const largeRead = 256 << 10;

/** Whether a caller's socket is read: not while it is paused, and after a large read not before a turn of its own. */
export class Inflow {
  private readonly socket: Pick<Socket, "pause" | "resume">;
  isPaused = false;
  /** So much came at once that others would wait for it. */
  private waitsForTurn = false;
  private isClosed = false;

  constructor(socket: Pick<Socket, "pause" | "resume">) {
    this.socket = socket;
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    if (!this.waitsForTurn) this.socket.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    if (!this.waitsForTurn) this.socket.resume();
  }

  /** So many bytes were read. Of all connections that send large bodies, one is read in each turn of the event loop. */
  received(bytes: number): void {
    if (bytes < largeRead || this.waitsForTurn) return;
    this.waitsForTurn = true;
    if (!this.isPaused) this.socket.pause();
    void nextTurn().then(() => {
      this.waitsForTurn = false;
      if (!this.isPaused && !this.isClosed) this.socket.resume();
    });
  }

  /** The socket has been closed: it is left alone. */
  close(): void {
    this.isClosed = true;
  }
}
