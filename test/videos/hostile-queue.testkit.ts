import { filmOf } from "./hostile-provider.testkit.ts";

/** What fal and Replicate do with the job of one prompt. What is left out they do as they should. */
export interface QueuePlan {
  submit?(job: QueueJob): Answer | Promise<Answer>;
  /** @param count of the questions so far, this one included */
  status?(count: number, job: QueueJob): Answer;
  /** fal's result; Replicate has it in the status. */
  result?(count: number, job: QueueJob): Answer;
  file?(count: number): Answer;
  /** Whether Replicate's list has it. */
  isListed?: (job: QueueJob) => boolean;
  /** Whether a cancelled job goes on all the same. */
  ignoresCancel?: boolean;
}

/** Anything but a response is an answer of JSON with the status 200. */
type Answer = Response | object;

export interface QueueJob {
  readonly id: string;
  readonly prompt: string;
  readonly createdAt: number;
  readonly url: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** fal's queue and Replicate's predictions, which do as a test says. */
export interface HostileQueue {
  readonly fal: string;
  readonly replicate: string;
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  plan(prompt: string, plan: QueuePlan): void;
  stop(): Promise<void>;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  readonly body: string;
}

interface State extends QueueJob {
  readonly model: string;
  polls: number;
  results: number;
  files: number;
  isCancelled: boolean;
}

const film = filmOf(4);

export function startHostileQueue(): HostileQueue {
  const plans = new Map<string, QueuePlan>();
  const jobs: State[] = [];
  const requests: SeenRequest[] = [];
  const answered = (answer: Answer) => (answer instanceof Response ? answer : Response.json(answer));
  const planOf = ({ prompt }: QueueJob) => plans.get(prompt) ?? {};
  const notFound = () => Response.json({ detail: "Not found" }, { status: 404 });

  function begin(input: QueueJob["input"], model: string): State {
    const id = crypto.randomUUID();
    const url = `http://127.0.0.1:${server.port}/file/${id}.mp4`;
    const facts = { id, prompt: String(input.prompt), createdAt: Date.now(), url, input, model };
    const job = { ...facts, polls: 0, results: 0, files: 0, isCancelled: false };
    jobs.push(job);
    return job;
  }

  function prediction({ id, model, createdAt, input, url, isCancelled }: State) {
    const status = isCancelled ? "canceled" : "succeeded";
    return { id, model, status, input, output: url, created_at: new Date(createdAt).toISOString() };
  }

  async function askFal(method: string, path: string, body: string): Promise<Answer> {
    const [, id, part] = /\/requests\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (method === "POST") {
      const job = begin(JSON.parse(body) as QueueJob["input"], path.slice("/fal/".length));
      return (await planOf(job).submit?.(job)) ?? { status: "IN_QUEUE", request_id: job.id };
    }
    const job = jobs.find((each) => each.id === id);
    if (job === undefined) return notFound();
    const plan = planOf(job);
    if (part === "cancel") {
      job.isCancelled = plan.ignoresCancel !== true;
      return { status: "CANCELLATION_REQUESTED" };
    }
    if (part === "status") return plan.status?.((job.polls += 1), job) ?? { status: "COMPLETED" };
    if (job.isCancelled) {
      return Response.json({ detail: "Cancelled.", error_type: "client_cancelled" }, { status: 499 });
    }
    return plan.result?.((job.results += 1), job) ?? { video: { url: job.url } };
  }

  async function askReplicate(method: string, path: string, body: string): Promise<Answer> {
    const [, id, part] = /^\/replicate\/v1\/predictions\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (method === "POST" && id === undefined) {
      const [, model = ""] = /\/models\/(.+)\/predictions$/.exec(path) ?? [];
      const { input } = JSON.parse(body) as { input: QueueJob["input"] };
      const job = begin(input, model);
      return (
        (await planOf(job).submit?.(job)) ?? Response.json({ ...prediction(job), status: "starting" }, { status: 201 })
      );
    }
    if (id === undefined) {
      return {
        next: null,
        results: jobs
          .filter((job) => planOf(job).isListed?.(job) !== false)
          .map(prediction)
          .toReversed(),
      };
    }
    const job = jobs.find((each) => each.id === id);
    if (job === undefined) return notFound();
    if (part === "cancel") job.isCancelled = planOf(job).ignoresCancel !== true;
    if (job.isCancelled) return prediction(job);
    return planOf(job).status?.((job.polls += 1), job) ?? prediction(job);
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const { method, headers } = request;
      requests.push({ method, path: `${pathname}${search}`, authorization: headers.get("authorization"), body });
      if (pathname.startsWith("/file/")) {
        const job = jobs.find(({ url }) => url.endsWith(pathname));
        return answered((job && planOf(job).file?.((job.files += 1))) ?? new Response(film));
      }
      return answered(await (pathname.startsWith("/fal/") ? askFal : askReplicate)(method, pathname, body));
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    fal: `${origin}/fal`,
    replicate: `${origin}/replicate/v1`,
    origin,
    requests,
    plan: (prompt, plan) => void plans.set(prompt, plan),
    stop: () => server.stop(true),
  };
}
