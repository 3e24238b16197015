import { writeFilm } from "../../src/sandbox/film/write-film.ts";

/** A provider of OpenAI's shape that fails now and then, and remembers its jobs whatever becomes of its callers. */
export interface FlakyProvider {
  readonly url: string;
  readonly jobs: ReadonlyMap<string, FlakyJob>;
  /** Jobs that two calls have asked for at once. */
  readonly askedTwice: ReadonlySet<string>;
  stop(): Promise<void>;
}

export interface FlakyJob {
  readonly id: string;
  readonly prompt: string;
  readonly createdAt: number;
  readonly fate: "completed" | "failed";
  polls: number;
}

const film = writeFilm({ prompt: "flaky", width: 64, height: 64, seconds: 4 });
const pollsNeeded = 2;

export function startFlakyProvider(): FlakyProvider {
  const jobs = new Map<string, FlakyJob>();
  const asked = new Map<string, number>();
  const askedTwice = new Set<string>();

  function view({ id, prompt, createdAt, fate, polls }: FlakyJob) {
    const status = polls < pollsNeeded ? "in_progress" : fate;
    const error = status === "failed" ? { code: "unlucky", message: "It did not work." } : null;
    const facts = { model: "flaky", size: "64x64", seconds: "4", progress: 50 };
    return { id, object: "video", status, prompt, created_at: Math.floor(createdAt / 1_000), error, ...facts };
  }

  async function submit(request: Request): Promise<Response> {
    const prompt = promptIn(await request.formData());
    const chance = Math.random();
    if (chance < 0.1) return new Response("{}", { status: 500 });
    const id = `flaky_${crypto.randomUUID()}`;
    const job: FlakyJob = {
      id,
      prompt,
      createdAt: Date.now(),
      fate: Math.random() < 0.2 ? "failed" : "completed",
      polls: 0,
    };
    jobs.set(id, job);
    await Bun.sleep(Math.random() * 20);
    // It is made, and its answer is lost.
    if (chance < 0.2) return new Response("{", { status: 200 });
    return Response.json(view(job));
  }

  /** Some are made all the same. */
  function remove(id: string): Response {
    const chance = Math.random();
    if (chance < 0.1) return new Response("{}", { status: 503 });
    if (chance < 0.7) jobs.delete(id);
    return Response.json({ id, object: "video.deleted", deleted: true });
  }

  function content(): Response {
    const chance = Math.random();
    if (chance < 0.05) return new Response("", { status: 503 });
    return new Response(chance < 0.1 ? film.subarray(0, film.length / 2) : film);
  }

  async function poll(id: string): Promise<Response> {
    const job = jobs.get(id);
    if (job === undefined) return new Response("{}", { status: 404 });
    const count = (asked.get(id) ?? 0) + 1;
    asked.set(id, count);
    if (count > 1) askedTwice.add(id);
    await Bun.sleep(5);
    asked.set(id, (asked.get(id) ?? 1) - 1);
    if (Math.random() < 0.1) return new Response("{}", { status: 503 });
    job.polls += 1;
    return Response.json(view(job));
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const [, , , id, part] = pathname.split("/");
      if (id === undefined) {
        if (request.method === "POST") return submit(request);
        const data = [...jobs.values()].toReversed().slice(0, 100).map(view);
        return Response.json({ object: "list", data });
      }
      if (request.method === "DELETE") return remove(id);
      if (part === "content") return content();
      return poll(id);
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, jobs, askedTwice, stop: () => server.stop(true) };
}

function promptIn(form: { get(name: string): unknown }): string {
  const prompt = form.get("prompt");
  return typeof prompt === "string" ? prompt : "";
}
