/** The upstream if nginx or its echo module is absent: the same answers at the same paths. Argument: the port. */
import { answers, dialects } from "./payload/dialects.ts";
import { heldChunk } from "./payload/openai-chat.ts";
import { searchAnswers, searchPrefix, searchProviders } from "./payload/search.ts";
import { chunkPauseSeconds, heldStreamSeconds } from "./payload/words.ts";
import { upstreamPrefix } from "./upstream.ts";

const encoder = new TextEncoder();
const held = Array.from({ length: heldStreamSeconds }, () => encoder.encode(heldChunk));

/** The handlers of paths, by their prefix. */
const scripts = new Map<string, () => Response>([
  [upstreamPrefix("openai-chat", "held"), () => streamOf(held, 1)],
  [
    upstreamPrefix("openai-chat", "burst"),
    () =>
      streamOf(
        answers["openai-chat"].pieces.map((piece) => encoder.encode(piece)),
        0,
      ),
  ],
]);
for (const dialect of dialects) {
  const { whole, pieces } = answers[dialect];
  const chunks = pieces.map((piece) => encoder.encode(piece));
  scripts.set(upstreamPrefix(dialect, "json"), () => wholeAnswer(whole));
  scripts.set(upstreamPrefix(dialect, "stream"), () => streamOf(chunks, chunkPauseSeconds));
}
for (const provider of searchProviders) {
  scripts.set(searchPrefix(provider), () => wholeAnswer(searchAnswers[provider]));
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  idleTimeout: 0,
  fetch(request) {
    const prefix = new URL(request.url).pathname.split("/", 3).join("/");
    return scripts.get(prefix)?.() ?? new Response(null, { status: 404 });
  },
});

function wholeAnswer(body: string): Response {
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

function streamOf(pieces: readonly Uint8Array[], pauseSeconds: number): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next > 0 && pauseSeconds > 0) await Bun.sleep(pauseSeconds * 1000);
      const piece = pieces[next++];
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}
