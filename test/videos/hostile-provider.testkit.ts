import { writeFilm } from "../../src/sandbox/film/write-film.ts";

/** What a provider does with the job of one prompt. What is left out it does as it should. */
export interface Plan {
  /** The job is in the provider's list, whatever is answered. */
  submit?(job: object): Response | Promise<Response>;
  /** @param count of the questions so far, this one included */
  poll?(count: number, job: object): Response | object;
  content?(count: number): Response;
  /** A variant of the content. */
  picture?(variant: string): Response;
  /** How its list shows it; null: it does not. */
  listed?: (job: object) => object | null;
}

/** A provider of OpenAI's shape that does as a test says. */
export interface HostileProvider {
  readonly url: string;
  /** In the order in which they came, such as `GET /v1/videos/job_1`. */
  readonly requests: readonly string[];
  /** Null: the provider has no list. */
  hasList: boolean;
  plan(prompt: string, plan: Plan): void;
  stop(): Promise<void>;
}

interface Job {
  readonly id: string;
  readonly prompt: string;
  readonly createdAt: number;
  polls: number;
  contents: number;
  isDeleted: boolean;
}

export const filmOf = (seconds: number, width = 64) => writeFilm({ prompt: "hostile", width, height: 64, seconds });
const film = filmOf(4);

/** A film whose header says another length: so many units of a second's `timescale`-th part. */
export function filmThatSays(duration: number, timescale: number): Uint8Array {
  const bytes = Buffer.from(filmOf(4));
  const at = bytes.indexOf("mvhd") + 4;
  bytes.writeUInt32BE(timescale, at + 12);
  bytes.writeUInt32BE(duration, at + 16);
  return bytes;
}

export function startHostileProvider(): HostileProvider {
  const plans = new Map<string, Plan>();
  const jobs: Job[] = [];
  const requests: string[] = [];
  const view = ({ id, prompt, createdAt }: Job, status: string) => {
    return { id, object: "video", model: "film", status, prompt, created_at: Math.floor(createdAt / 1_000) };
  };
  const answered = (answer: Response | object) => (answer instanceof Response ? answer : Response.json(answer));

  async function begin(prompt: string): Promise<Response> {
    const job = {
      id: `job_${crypto.randomUUID()}`,
      prompt,
      createdAt: Date.now(),
      polls: 0,
      contents: 0,
      isDeleted: false,
    };
    jobs.push(job);
    return (await plans.get(prompt)?.submit?.(view(job, "queued"))) ?? Response.json(view(job, "queued"));
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      requests.push(`${request.method} ${pathname}`);
      const [, , , id, part] = pathname.split("/");
      if (id === undefined && request.method === "POST") {
        const prompt = (await request.formData()).get("prompt");
        return begin(typeof prompt === "string" ? prompt : "");
      }
      if (id === undefined) {
        if (!provider.hasList) return new Response("{}", { status: 404 });
        const data = jobs
          .filter(({ isDeleted }) => !isDeleted)
          .map((job) => {
            const listed = plans.get(job.prompt)?.listed;
            return listed ? listed(view(job, "queued")) : view(job, "queued");
          });
        return Response.json({ object: "list", data: data.filter((each) => each !== null) });
      }
      if (part === "remix") {
        const { prompt } = (await request.json()) as { prompt: string };
        return begin(prompt);
      }
      const job = jobs.find((each) => each.id === decodeURIComponent(id) && !each.isDeleted);
      if (job === undefined) return new Response("{}", { status: 404 });
      const plan = plans.get(job.prompt);
      if (request.method === "DELETE") {
        job.isDeleted = true;
        return Response.json({ id, deleted: true });
      }
      const variant = searchParams.get("variant");
      if (part === "content" && variant !== null)
        return plan?.picture?.(variant) ?? new Response("{}", { status: 404 });
      if (part === "content") return plan?.content?.((job.contents += 1)) ?? new Response(film);
      return answered(plan?.poll?.((job.polls += 1), view(job, "completed")) ?? view(job, "completed"));
    },
  });
  const provider: HostileProvider = {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    hasList: true,
    plan: (prompt, plan) => void plans.set(prompt, plan),
    stop: () => server.stop(true),
  };
  return provider;
}
