/** A provider that answers each path with the JSON that a test sets, whatever is asked. */
export interface AnsweringUpstream {
  readonly url: string;
  /** By the end of the path, such as `/chat/completions`. */
  answer(path: string, body: object): void;
  /** Answers a stream of these events' data. */
  stream(path: string, events: readonly (object | string)[]): void;
  /** Keeps all answers back until the function that it returns is called. */
  hold(): () => void;
  /** Resolves when a request has arrived since the last call of `hold`. */
  readonly asked: Promise<void>;
  stop(): void;
}

export function startAnsweringUpstream(): AnsweringUpstream {
  const answers = new Map<string, { readonly type: string; readonly body: string }>();
  let held: Promise<void> = Promise.resolve();
  let asked = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      await request.arrayBuffer();
      const found = [...answers].find(([path]) => pathname.endsWith(path))?.[1];
      asked.resolve();
      await held;
      if (!found) return Response.json({ error: { message: "nothing is set" } }, { status: 404 });
      return new Response(found.body, { headers: { "content-type": found.type } });
    },
  });
  return {
    url: server.url.origin,
    answer: (path, body) => void answers.set(path, { type: "application/json", body: JSON.stringify(body) }),
    stream(path, events) {
      const texts = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
      answers.set(path, { type: "text/event-stream", body: texts.join("") });
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      asked = Promise.withResolvers<void>();
      return resolve;
    },
    get asked() {
      return asked.promise;
    },
    stop: () => void server.stop(true),
  };
}
