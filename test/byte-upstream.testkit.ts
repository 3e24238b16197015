import { createServer, type ServerResponse } from "node:http";

/** A provider whose response bytes are set by the test. */
export type ByteUpstream = Awaited<ReturnType<typeof startByteUpstream>>;

/** Starts the provider on a free port. It answers every request with 200 and an event stream. */
export async function startByteUpstream() {
  let answer = async (response: ServerResponse): Promise<void> => void response.end();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    void answer(response);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The upstream has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    answerWith(next: typeof answer) {
      answer = next;
    },
    /** Sends the bytes in writes of `size`, each of which arrives separately. */
    answerBytes(text: string, size = Infinity) {
      answer = async (response) => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += size) {
          response.write(bytes.subarray(at, Math.min(bytes.length, at + size)));
          if (size < Infinity) await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
      };
    },
    async stop() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** The JSON of a provider's usual chunks. */
export const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
export const chunk = (fields: object) =>
  JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", ...fields });
export const says = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
export const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
export const usageChunk = chunk({ choices: [], usage });
