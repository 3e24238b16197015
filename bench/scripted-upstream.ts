/** The upstream where nginx or its echo module is absent: the same answers at the same paths. Argument: the port. */
import { answerBody, chunkPauseSeconds, heldChunk, heldStreamSeconds, streamChunks } from "./payload.ts";
import { upstreamBase } from "./upstream.ts";

const answer = answerBody();
const encoder = new TextEncoder();
const chunks = streamChunks().map((chunk) => encoder.encode(chunk));
const held = Array.from({ length: heldStreamSeconds }, () => encoder.encode(heldChunk()));

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  idleTimeout: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(upstreamBase.stream)) return streamOf(chunks, chunkPauseSeconds);
    if (pathname.startsWith(upstreamBase.held)) return streamOf(held, 1);
    return new Response(answer, { headers: { "Content-Type": "application/json" } });
  },
});

function streamOf(pieces: readonly Uint8Array[], pauseSeconds: number): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next > 0) await Bun.sleep(pauseSeconds * 1000);
      const piece = pieces[next++];
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}
