/** Answers every request with the same JSON, or with a stream of chunks below /stream: `ours` or `Bun.serve`. Prints its port. */
import type { ServerExchange } from "../../src/server/exchange.ts";
import { listen } from "../../src/server/server.ts";

const answer = JSON.stringify({
  id: "chatcmpl-0123456789",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "model",
  choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(60) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 200, completion_tokens: 60, total_tokens: 260 },
});
const event = Buffer.from(`data: {"id":"chatcmpl-0123456789","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n`);
const chunks = 20;
const asked = ["authorization", "content-type", "content-encoding", "origin", "idempotency-key"];
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The headers of an answer of the gateway, made for each request. */
function headers(type: string): Record<string, string> {
  return {
    "content-type": type,
    "x-service-request-id": "req_01234567890123456789012345",
    "x-request-id": "req_01234567890123456789012345",
    "x-service-attempts": "1",
    "x-ratelimit-limit-requests": "1000",
    "x-ratelimit-remaining-requests": "999",
    "x-ratelimit-reset-requests": "1s",
  };
}

function read(names: { get(name: string): string | null }, body: Uint8Array): void {
  for (const name of asked) names.get(name);
  JSON.parse(utf8.decode(body));
}

/** Calls `each` in a turn of the event loop of its own for every chunk, then `end`. */
function pace(each: () => void, end: () => void): void {
  let sent = 0;
  const next = () => {
    if (sent++ === chunks) end();
    else {
      each();
      setImmediate(next);
    }
  };
  next();
}

function handle(exchange: ServerExchange): void {
  read(exchange.headers, exchange.body ?? new Uint8Array(0));
  if (exchange.target !== "/stream") {
    exchange.respond(200, headers("application/json"), answer);
    return;
  }
  exchange.startStream(200, headers("text/event-stream"));
  pace(
    () => void exchange.write(event),
    () => exchange.end(),
  );
}

async function answerFetch(request: Request): Promise<Response> {
  read(request.headers, await request.bytes());
  if (!request.url.endsWith("/stream")) return new Response(answer, { headers: headers("application/json") });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      pace(
        () => controller.enqueue(event),
        () => controller.close(),
      );
    },
  });
  return new Response(body, { headers: headers("text/event-stream") });
}

const hostname = "127.0.0.1";
const { port } =
  process.argv[2] === "ours"
    ? listen({ hostname, port: 0, handle, onError: (error) => console.error(error) })
    : Bun.serve({ hostname, port: 0, fetch: answerFetch });
console.log(port);
