/** A server of the vendor that does not exist. */
export interface ToyUpstream {
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly query: string }[];
  readonly picture: Uint8Array;
  /** The next calls are answered with 500. */
  failNext(calls: number): void;
  /** The next picture breaks off half-way. */
  cutNext(): void;
  /** @param seconds how long its film is; 8 if not given */
  endJob(id: string, status: "succeeded" | "failed", seconds?: number): void;
  stop(): void;
}

export function startToyUpstream(): ToyUpstream {
  const requests: { path: string; query: string }[] = [];
  const jobs = new Map<string, { readonly status: string; readonly seconds: number }>();
  const picture = crypto.getRandomValues(new Uint8Array(50_000));
  let failing = 0;
  let cutting = false;

  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      requests.push({ path: pathname, query: search.slice(1) });
      if (failing > 0) {
        failing--;
        return Response.json({ error: { message: "No." } }, { status: 500 });
      }
      switch (pathname) {
        case "/reverse": {
          const { text } = (await request.json()) as { text: string };
          return Response.json({ text: Array.from(text).toReversed().join("") });
        }
        case "/measure":
          return measured(await request.formData());
        case "/draw":
          return drawn();
        case "/jobs": {
          const id = `job_${jobs.size + 1}`;
          jobs.set(id, { status: "running", seconds: 8 });
          return Response.json({ id, status: "running" });
        }
        default:
          return Response.json(jobs.get(pathname.slice("/jobs/".length)) ?? {});
      }
    },
  });

  async function measured(form: { get(name: string): unknown }): Promise<Response> {
    const file = form.get("file");
    if (!(file instanceof File)) throw new Error("There is no file in the form.");
    const sha256 = new Bun.CryptoHasher("sha256").update(await file.bytes()).digest("hex");
    return Response.json({ seconds: file.size, sha256, filename: file.name });
  }

  function drawn(): Response {
    const isCut = cutting;
    cutting = false;
    const pieces = [picture.slice(0, 20_000), picture.slice(20_000)];
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else if (isCut && pieces.length === 0) controller.error(new Error("cut"));
        else controller.enqueue(piece);
        await new Promise(setImmediate);
      },
    });
    return new Response(body, { headers: { "content-type": "image/toy" } });
  }

  return {
    url: server.url.origin,
    requests,
    picture,
    failNext(calls) {
      failing = calls;
    },
    cutNext() {
      cutting = true;
    },
    endJob: (id, status, seconds = 8) => void jobs.set(id, { status, seconds }),
    stop: () => void server.stop(true),
  };
}
