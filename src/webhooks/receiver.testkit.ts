/** A POST that a receiver got. */
export interface Received {
  readonly path: string;
  readonly id: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Makes each answer; 204 if not set. */
  answer: (received: Received) => Response | Promise<Response>;
  /** Resolves once so many have arrived. */
  arrived(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** An address that webhooks point at. */
export function startReceiver(): Receiver {
  const received: Received[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { headers } = request;
      const body = await request.text();
      const one = { path: new URL(request.url).pathname, id: headers.get("webhook-id") ?? "", headers, body };
      received.push(one);
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
      return receiver.answer(one);
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}`,
    received,
    answer: () => new Response(null, { status: 204 }),
    arrived(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (received.length >= count) resolve();
      else waiting.push({ count, resolve });
      return promise;
    },
    stop: () => server.stop(true),
  };
  return receiver;
}
