import type { CallOutcome, SeveralCalls, UpstreamRequest } from "../dialects/exchange.ts";
import type { CallListener, UpstreamCall } from "./call.ts";
import { UpstreamFault } from "./fault.ts";
import type { ResponseHeaders } from "./http/exchange.ts";

/** A call as an attempt sees it, whether it is one or several. */
export type Call = Pick<
  UpstreamCall,
  "status" | "headers" | "isOver" | "answerBegun" | "pause" | "resume" | "endWithin" | "cancel"
>;

/** Begins one call. */
export type BeginCall = (request: UpstreamRequest, listener: CallListener) => UpstreamCall;

const nothing = new Uint8Array();
const noHeaders: ResponseHeaders = { get: () => null };

/**
 * Several calls made at once that come to one outcome: if one of them is an answer, all are handed to the exchange at the
 * end, and the listener is told of a good answer without bytes. If none is, it is told of the first that failed. Each call
 * has the time limits of a call by itself, and all begin together, so that no limit is exceeded by the group.
 */
export class CallGroup implements Call {
  readonly #calls: SeveralCalls;
  readonly #listener: CallListener;
  readonly #onHeld: (bytes: number) => void;
  readonly #members: Member[] = [];
  #bytesLeft: number;
  #running: number;
  #isOver = false;
  status = 0;
  headers: ResponseHeaders = noHeaders;

  /**
   * @param onHeld is told of bytes that the group holds until all calls have ended
   * @throws whatever `begin` throws; no call is left under way then
   */
  constructor(calls: SeveralCalls, begin: BeginCall, listener: CallListener, onHeld: (bytes: number) => void) {
    this.#onHeld = onHeld;
    this.#calls = calls;
    this.#listener = listener;
    this.#bytesLeft = calls.maxBytes;
    this.#running = calls.requests.length;
    try {
      for (const request of calls.requests) {
        const member = new Member(this);
        this.#members.push(member);
        member.call = begin(request, member);
      }
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Each call begins its answer by itself. */
  answerBegun(): void {}

  pause(): void {
    for (const { call } of this.#members) call?.pause();
  }

  resume(): void {
    for (const { call } of this.#members) call?.resume();
  }

  endWithin(milliseconds: number): void {
    for (const { call } of this.#members) call?.endWithin(milliseconds);
  }

  cancel(): void {
    this.#isOver = true;
    for (const { call } of this.#members) call?.cancel();
  }

  /** Whether there is room for so many bytes more. */
  takes(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) return false;
    this.#onHeld(bytes);
    return true;
  }

  /** One of the calls has ended. */
  ended(): void {
    this.#running -= 1;
    if (this.#running > 0 || this.#isOver) return;
    this.#isOver = true;
    const members = this.#members;
    if (members.some((member) => this.#isAnswer(member))) {
      this.#calls.take(members.map(({ outcome }) => outcome));
      this.#tell(200, noHeaders, nothing);
      return;
    }
    const refused = members.find(({ outcome }) => outcome.status !== null);
    const { status, body } = refused?.outcome ?? { status: null, body: null };
    if (refused?.call && status !== null) this.#tell(status, refused.call.headers, body ?? nothing);
    else this.#listener.onFault(members[0]?.fault ?? new UpstreamFault("unreachable", "No call was made."));
  }

  #isAnswer({ outcome: { status, body } }: Member): boolean {
    if (status === null) return false;
    return (status >= 200 && status <= 299) || this.#calls.isAnswer(status, body ?? nothing);
  }

  #tell(status: number, headers: ResponseHeaders, body: Uint8Array): void {
    this.status = status;
    this.headers = headers;
    this.#listener.onHead();
    if (body.length > 0) this.#listener.onBytes(body);
    this.#listener.onEnd();
  }
}

/** One call of a group. */
class Member implements CallListener {
  readonly #group: CallGroup;
  #pieces: Uint8Array[] | null = [];
  call: UpstreamCall | null = null;
  fault: UpstreamFault | null = null;
  outcome: CallOutcome = { status: null, body: null, isLate: false };

  constructor(group: CallGroup) {
    this.#group = group;
  }

  onHead(): void {}

  onBytes(bytes: Uint8Array): void {
    this.call?.answerBegun();
    if (this.#pieces === null) return;
    if (this.#group.takes(bytes.length)) {
      this.#pieces.push(bytes);
      return;
    }
    this.#pieces = null;
    this.call?.cancel();
    this.onEnd();
  }

  onEnd(): void {
    const body = this.#pieces && Buffer.concat(this.#pieces);
    this.outcome = { status: this.call?.status ?? null, body, isLate: false };
    this.#group.ended();
  }

  onFault(fault: UpstreamFault): void {
    this.fault = fault;
    this.outcome = { ...this.outcome, isLate: fault.kind.endsWith("_timeout") };
    this.#group.ended();
  }
}
