import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { until } from "../until.testkit.ts";
import { writeForever } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** What queues of jobs answer holds up no other request, and takes little memory, however many jobs are asked for at once. */

const atOnce = 8;
/** What the gateway may grow by while it asks for these jobs, and what it may keep of that, in megabytes. */
const maxGrowth = 700;
const maxKept = 150;

type Behave = (response: ServerResponse) => void;

const json = (body: string, status = 200): Behave => {
  return (response) => void response.writeHead(status, { "content-type": "application/json" }).end(body);
};
const nested = `{"status":"IN_PROGRESS","logs":${"[".repeat(200)}${"[[]],".repeat(2_000_000)}[]${"]".repeat(200)}}`;
const numbers = `{"status":"IN_PROGRESS","logs":[${"1,".repeat(12_000_000)}1]}`;
const endless: Behave = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  writeForever(response, Buffer.alloc(64 << 10, " "));
};

const attacks: Readonly<Record<string, Behave>> = {
  "20 MB of nested lists": json(nested),
  "24 MB of numbers": json(numbers),
  "an error of 24 MB": json(numbers, 500),
  "spaces without an end": endless,
};

/** A queue of fal's and predictions of Replicate's whose questions are answered by an attack. */
async function startQueue() {
  const queue = { behave: json("{}"), jobs: 0, asked: new Set<string>(), open: 0, url: "", stop: async () => {} };
  const isQuestion = ({ method, url = "" }: IncomingMessage) => method === "GET" && url.includes("/request");
  const server = createServer((request, response) => {
    response.on("error", () => {});
    request.resume();
    request.on("end", () => {
      if (request.method === "POST" && !(request.url ?? "").endsWith("/cancel")) {
        const id = `job-${(queue.jobs += 1)}`;
        json(JSON.stringify({ request_id: id, id, status: "starting" }), 201)(response);
        return;
      }
      if (!isQuestion(request) && !(request.url ?? "").includes("/predictions/job")) {
        json("{}")(response);
        return;
      }
      queue.asked.add(/job-\d+/.exec(request.url ?? "")?.[0] ?? "");
      queue.open += 1;
      response.on("close", () => (queue.open -= 1));
      queue.behave(response);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The queue has no port.");
  queue.url = `http://127.0.0.1:${address.port}`;
  queue.stop = async () => {
    server.closeAllConnections();
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
  };
  return queue;
}

describe.skipIf(process.platform !== "linux")("a question about a film that is answered with", () => {
  let gateway: WatchedGateway;
  let queue: Awaited<ReturnType<typeof startQueue>>;
  const headers = () => ({ authorization: `Bearer ${gateway.key}` });
  beforeAll(async () => {
    queue = await startQueue();
    const model = { endpoints: ["videos"], prices: { video_second: 0.1 } };
    const at = (path: string) => ({
      behave: () => {},
      provider: { base_url: `${queue.url}/${path}`, circuit: { failures: 1_000_000 } },
      model,
    });
    gateway = await startWatchedGateway({
      models: { fal: { dialect: "fal", ...at("fal") }, replicate: { dialect: "replicate", ...at("v1") } },
    });
  });
  afterEach(async () => {
    queue.behave = json('{"status":"failed"}', 404);
    const { data } = (await (await fetch(`${gateway.url}/v1/videos?limit=100`, { headers: headers() })).json()) as {
      data: readonly { readonly id: string }[];
    };
    const drop = (id: string) => fetch(`${gateway.url}/v1/videos/${id}`, { method: "DELETE", headers: headers() });
    await Promise.all(data.map(({ id }) => drop(id)));
    await until("no question", () => queue.open === 0);
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
    await queue.stop();
  });

  const cases = Object.keys(attacks).flatMap((name) => ["fal", "replicate"].map((model) => [name, model] as const));
  test.each(cases)(
    "%s by %s",
    async (name, model) => {
      queue.behave = attacks[name] ?? json("{}");
      const before = await gateway.heldMemory();
      const { stall, growth } = await gateway.attack(`films: ${name}, ${model}`, async () => {
        queue.asked.clear();
        const { jobs } = queue;
        const body = JSON.stringify({ model, prompt: "A fox", seconds: 4 });
        const posted = await Promise.all(Array.from({ length: atOnce }, () => gateway.post("/v1/videos", body)));
        expect(posted.map(({ status }) => status)).toEqual(posted.map(() => 200));
        const ids = Array.from({ length: atOnce }, (_, index) => `job-${jobs + index + 1}`);
        await until("the questions", () => ids.every((id) => queue.asked.has(id)), 20_000);
        await until("their ends", () => queue.open === 0, 60_000);
      });
      expect(stall).toBeLessThan(maxStall);
      expect(growth).toBeLessThan(maxGrowth);
      expect((await gateway.heldMemory()) - before).toBeLessThan(maxKept * 1e6);
    },
    100_000,
  );
});
