import type { RequestBody } from "../http/request-body.ts";
import type { Channel } from "./channel.ts";
import { UpstreamCall, type CallTools } from "./call.ts";
import { UpstreamFault } from "./fault.ts";

/** The whole answer to one call. */
export interface Reply {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: Uint8Array;
}

/** Answers are not read beyond this, in bytes. */
const maxBytes = 16 << 20;

/**
 * Makes one call and gathers its answer, whatever its status: for questions that are no caller's request.
 * @param head as `channel.head` gives it
 * @throws {UpstreamFault} if there is no whole answer
 */
export function ask(tools: CallTools, channel: Channel, head: string, body: RequestBody): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    const call: UpstreamCall = new UpstreamCall(tools, channel, head, body, {
      onHead: () => {},
      onBytes(piece) {
        call.answerBegun();
        bytes += piece.length;
        pieces.push(piece);
        if (bytes <= maxBytes) return;
        call.cancel();
        reject(new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxBytes} bytes.`));
      },
      onEnd() {
        const { status, headers } = call;
        resolve({ status, header: (name) => headers.get(name), body: Buffer.concat(pieces) });
      },
      onFault: reject,
    });
  });
}
