/** How much of one HTTP/1.1 answer has arrived on a connection. One request is in flight at a time. */
export interface Answer {
  status: number;
  /** Bytes of the body still to come; null if the body is chunked, -1 while the headers are incomplete. */
  remaining: number | null;
  /** Whether some of the body has come. */
  begun: boolean;
  /** Headers so far, while incomplete. */
  head: string;
  /** The last bytes of a chunked body, in which its end mark shows. */
  tail: string;
}

const endOfChunks = "\r\n0\r\n\r\n";

export function startAnswer(): Answer {
  return { status: 0, remaining: -1, begun: false, head: "", tail: "" };
}

/** Takes the next `length` bytes and says whether the answer is complete. Throws if it is not HTTP. */
export function readAnswer(answer: Answer, bytes: Buffer, length: number): boolean {
  if (answer.remaining === -1) return readHead(answer, bytes.toString("latin1", 0, length));
  answer.begun = true;
  if (answer.remaining !== null) return (answer.remaining -= length) <= 0;
  const last = bytes.toString("latin1", Math.max(0, length - endOfChunks.length), length);
  answer.tail = (last.length === endOfChunks.length ? last : answer.tail + last).slice(-endOfChunks.length);
  return answer.tail === endOfChunks;
}

function readHead(answer: Answer, text: string): boolean {
  answer.head += text;
  const end = answer.head.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = answer.head.slice(0, end);
  const body = answer.head.length - end - 4;
  answer.begun = body > 0;
  answer.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  if (answer.status === 0) throw new Error(`not an HTTP/1.1 answer: ${head.slice(0, 80)}`);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return (answer.remaining = Number(length) - body) <= 0;
  answer.remaining = null;
  answer.tail = answer.head.slice(-endOfChunks.length);
  return answer.tail === endOfChunks;
}
