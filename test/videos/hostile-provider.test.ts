import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { exampleBudget } from "../../src/billing/budgets/example-budget.testkit.ts";
import { setBudget } from "../../src/billing/budgets/set-budget.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer } from "../money/payer.testkit.ts";
import { findingsOf } from "../money/scene.testkit.ts";
import { until } from "../until.testkit.ts";
import { filmThatSays, type HostileProvider, type Plan, startHostileProvider } from "./hostile-provider.testkit.ts";
import { requestOf, secondMicrousd, type ShownVideo, videosOf } from "./videos.testkit.ts";

/** Providers that answer in ways that no provider should. */

const clock = createTestClock();
let provider: HostileProvider;
let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  provider = startHostileProvider();
  gateway = await startTestGateway({
    clock,
    providers: () => [{ id: "hostile", dialects: ["openai-chat"], baseUrl: provider.url }],
    models: [
      {
        id: "film",
        endpoints: ["videos"],
        targets: [{ provider: "hostile", model: "film" }],
        prices: { video_second: secondMicrousd },
      },
    ],
    routes: [{ kind: "alias", id: "movie", leadsTo: "film" }],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
  await provider.stop();
});
beforeEach(() => {
  provider.hasList = true;
});

const videos = () => videosOf(gateway);
async function begin(plan: Plan, prompt = crypto.randomUUID() as string): Promise<ShownVideo> {
  provider.plan(prompt, plan);
  const response = await videos().post({ model: "film", prompt });
  expect(response.status).toBe(200);
  return (await response.json()) as ShownVideo;
}
const amountOf = async (id: string) => (await gateway.record(requestOf(id))).billing.amount_microusd;
const film = 4 * secondMicrousd;

test("questions that failed are no failures to copy the film", async () => {
  const { id } = await begin({
    poll: (count, job) => (count <= 6 ? new Response("{}", { status: 503 }) : job),
    content: (count) => (count === 1 ? new Response("", { status: 503 }) : new Response(filmThatSays(4, 1))),
  });
  expect(await videos().ended(id)).toMatchObject({ status: "completed" });
  expect(await amountOf(id)).toBe(film);
}, 30_000);

test("a clock that was set back holds no job up", async () => {
  const { id } = await begin({ poll: (count, job) => (count === 1 ? { ...job, status: "queued" } : job) });
  clock.advance(-7 * 24 * 3_600_000);
  try {
    expect(await videos().ended(id)).toMatchObject({ status: "completed" });
  } finally {
    clock.advance(7 * 24 * 3_600_000);
  }
});

describe("a film that says of itself", () => {
  test("to be of no length costs what was asked for", async () => {
    const { id } = await begin({ content: () => new Response(filmThatSays(1, 1_000_000)) });
    expect(await videos().ended(id)).toMatchObject({ status: "completed", seconds: "4" });
    expect(await amountOf(id)).toBe(film);
  });

  test("to be of years costs what was asked for, and so does a remix of it", async () => {
    const lying = { content: () => new Response(filmThatSays(4_000_000_000, 1)) };
    const { id } = await begin(lying);
    await videos().ended(id);
    expect(await amountOf(id)).toBe(film);
    const prompt = crypto.randomUUID();
    provider.plan(prompt, lying);
    const response = await videos().fetch(`/${id}/remix`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt }),
    });
    expect(response.status).toBe(200);
    const remix = (await response.json()) as ShownVideo;
    expect(remix).toMatchObject({ seconds: "4" });
    await videos().ended(remix.id);
    expect(await amountOf(remix.id)).toBe(film);
  });
});

test("a size that is no size is not believed, and not kept", async () => {
  const { id } = await begin({ poll: (_, job) => ({ ...job, size: "9".repeat(1 << 20), seconds: ["4"] }) });
  expect(await videos().ended(id)).toMatchObject({ status: "completed", size: "64x64" });
  expect(JSON.stringify(await gateway.record(requestOf(id))).length).toBeLessThan(10_000);
});

test.each(["a\u0000b", "\ud800", "..", "a b", "x".repeat(600)])(
  "a job with the id %j is not taken on",
  async (name) => {
    const { id } = await begin({ submit: (job) => Response.json({ ...job, id: name }), listed: () => null });
    expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "uncertain" } });
    expect(await amountOf(id)).toBe(0);
  },
);

test("one job of the provider's is never two", async () => {
  const one = { name: "" };
  const plan: Plan = {
    submit(job) {
      if (one.name === "" && "id" in job) one.name = String(job.id);
      return Response.json({ ...job, id: one.name });
    },
    listed: () => null,
  };
  const [first, second] = [await begin(plan), await begin(plan)];
  // The lease of its submit.
  clock.advance(16_000);
  expect(await videos().ended(first.id)).toMatchObject({ status: "completed" });
  expect(await videos().ended(second.id)).toMatchObject({ status: "failed", error: { code: "uncertain" } });
}, 60_000);

const lost: Plan = { submit: () => new Response("{") };

test("an uncertain submit ends soon if the provider has no list after all", async () => {
  provider.hasList = false;
  const { id } = await begin(lost);
  expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "uncertain" } });
});

test("the film of a job that was deleted is not charged a second time", async () => {
  const prompt = crypto.randomUUID();
  const { id } = await begin({}, prompt);
  await videos().ended(id);
  await videos().fetch(`/${id}`, { method: "DELETE" });
  // The next sweep.
  clock.advance(61_000);
  await Bun.sleep(100);
  const again = await begin({ ...lost, listed: (job) => job }, prompt);
  expect(await videos().ended(again.id)).toMatchObject({ status: "completed" });
  const atProvider = (await storage.videoJobs.findAnyones(again.id))?.providerJobId;
  expect(provider.requests.filter((each) => each === `GET /v1/videos/${atProvider}/content`)).toHaveLength(1);
});

test("what a job costs that was cancelled when its film was made already is kept", async () => {
  let isMade = false;
  const { id } = await begin({
    poll(_, job) {
      return isMade ? job : { ...job, status: "in_progress" };
    },
  });
  await until("a question", () => provider.requests.length > 0);
  isMade = true;
  await videos().fetch(`/${id}/cancel`, { method: "POST" });
  await until("the end", async () => (await storage.videoJobs.findAnyones(id))?.phase === "over");
  expect(await storage.videoJobs.findAnyones(id)).toMatchObject({ status: "failed", providerCostMicrousd: film });
});

test("50 at once on a balance for 10 begin 10, and cost 10", async () => {
  const hold = film + 6;
  const payer = await createPayer(gateway, storage, 10 * hold);
  const prompt = crypto.randomUUID();
  const one = videosOf(gateway, payer.key);
  const answers = await Promise.all(Array.from({ length: 50 }, () => one.post({ model: "film", prompt })));
  const begun = answers.filter(({ status }) => status === 200);
  expect([begun.length, answers.filter(({ status }) => status === 402).length]).toEqual([10, 40]);
  for (const answer of begun) {
    expect(await one.ended(((await answer.json()) as ShownVideo).id)).toMatchObject({ status: "completed" });
  }
  expect(await payer.account()).toMatchObject({ balance_microusd: 10 * hold - 10 * film, held_microusd: 0 });
  expect(await findingsOf(storage)).toEqual([]);
}, 30_000);

test("cancelled, deleted and completed at once, a job has one end", async () => {
  const payer = await createPayer(gateway, storage, 100 * film);
  const one = videosOf(gateway, payer.key);
  let completed = 0;
  for (let round = 0; round < 20; round++) {
    const made = (await (await one.post({ model: "film", prompt: crypto.randomUUID() })).json()) as ShownVideo;
    await Bun.sleep(round * 5);
    const cancel = () => one.fetch(`/${made.id}/cancel`, { method: "POST" });
    await Promise.all([
      cancel(),
      cancel(),
      ...(round % 2 === 0 ? [one.fetch(`/${made.id}`, { method: "DELETE" })] : []),
    ]);
    await until("the end", async () => {
      // A lease, if two were at it at once.
      clock.advance(500);
      const job = await storage.videoJobs.findAnyones(made.id);
      return job === null || job.phase === "over";
    });
    const record = await gateway.record(requestOf(made.id), payer.key);
    if (record.status === "succeeded") completed++;
    expect(["succeeded", "cancelled"]).toContain(record.status);
    expect(record.billing.amount_microusd).toBe(record.status === "succeeded" ? film : 0);
  }
  expect(await payer.account()).toMatchObject({
    balance_microusd: 100 * film - completed * film,
    held_microusd: 0,
  });
  expect(await findingsOf(storage)).toEqual([]);
}, 60_000);

test("a job that is cancelled while it is submitted is told to its provider, and is free", async () => {
  const release = Promise.withResolvers<void>();
  const prompt = crypto.randomUUID();
  provider.plan(prompt, {
    async submit(job) {
      await release.promise;
      return Response.json(job);
    },
    poll: (_, job) => ({ ...job, status: "in_progress" }),
  });
  const posted = videos().post({ model: "film", prompt });
  let id = "";
  await until("the job", async () => {
    const { data } = (await (await videos().fetch("")).json()) as { data: (ShownVideo & { prompt: string })[] };
    id = data.find((each) => each.prompt === prompt)?.id ?? "";
    return id !== "" && provider.requests.at(-1) === "POST /v1/videos";
  });
  expect((await videos().fetch(`/${id}/cancel`, { method: "POST" })).status).toBe(200);
  release.resolve();
  await posted;
  await until("the provider is told", () => provider.requests.some((each) => each.startsWith("DELETE")));
  expect(await videos().show(id)).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  expect(await gateway.record(requestOf(id))).toMatchObject({ status: "cancelled", billing: { amount_microusd: 0 } });
});

test.each(["film", "movie"])(
  "a hard budget of a model holds what jobs under the name %s can cost",
  async (model) => {
    const payer = await createPayer(gateway, storage, 0, { mode: "unlimited" });
    const hold = film + 6;
    const limits = { accountId: payer.id, model: "film", amountMicrousd: 2 * hold };
    const budget = await setBudget(storage.budgets, exampleBudget(limits), Date.now(), tester);
    const one = videosOf(gateway, payer.key);
    const shown = async () => {
      const response = await gateway.fetch("/api/account", payer.by);
      return JSON.stringify(await response.json());
    };
    await until("the budget", async () => (await shown()).includes(budget.id));
    const prompt = crypto.randomUUID();
    provider.plan(prompt, { poll: (_, job) => ({ ...job, status: "in_progress" }) });
    const post = () => one.post({ model, prompt });
    const first = await post();
    expect([first.status, (await post()).status, (await post()).status]).toEqual([200, 200, 402]);
    const { id } = (await first.json()) as ShownVideo;
    await one.fetch(`/${id}/cancel`, { method: "POST" });
    await until("room in the budget", async () => (await post()).status === 200);
    expect((await post()).status).toBe(402);
    const { data } = (await (await one.fetch("")).json()) as { data: ShownVideo[] };
    for (const job of data) await one.fetch(`/${job.id}/cancel`, { method: "POST" });
    provider.plan(prompt, { submit: () => new Response("{}", { status: 400 }) });
    for (let times = 0; times < 4; times++) expect((await post()).status).toBe(400);
    expect(await findingsOf(storage)).toEqual([]);
  },
  30_000,
);

describe("a film at an address", () => {
  const visited: string[] = [];
  let inside: ReturnType<typeof Bun.serve>;
  beforeAll(() => {
    inside = Bun.serve({
      port: 0,
      hostname: "0.0.0.0",
      fetch(request) {
        visited.push(request.url);
        return new Response(filmThatSays(4, 1));
      },
    });
  });
  afterAll(() => inside.stop(true));

  test.each([
    "http://127.0.0.2",
    "http://localhost",
    "http://0.0.0.0",
    "http://[::ffff:127.0.0.3]",
    "file:///etc/passwd",
  ])("that leads to %s is not fetched", async (host) => {
    const address = host.startsWith("file:") ? host : `${host}:${inside.port}/film.mp4`;
    const { id } = await begin({
      content: () => new Response(null, { status: 302, headers: { location: address } }),
    });
    const shown = await videos().ended(id);
    expect(shown).toMatchObject({ status: "failed", error: { code: "content_unavailable" } });
    expect(visited).toEqual([]);
    expect(JSON.stringify(shown)).not.toContain(String(inside.port));
  });
});

test.each([
  ["HTML", "<!doctype html><html><script>alert(1)</script></html>"],
  ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
  ["nothing", ""],
  [
    "a picture",
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
  ],
  ["half a film", filmThatSays(4, 1).subarray(0, -1)],
])("%s is no film", async (_, body) => {
  const { id } = await begin({ content: () => new Response(body, { headers: { "content-type": "video/mp4" } }) });
  expect(await videos().ended(id)).toMatchObject({ status: "failed", error: { code: "content_unavailable" } });
  expect(await amountOf(id)).toBe(0);
});

test.each([
  ["no JSON", () => new Response("<html>")],
  ["a text", () => new Response('"completed"')],
  ["null", () => new Response("null")],
  ["a word that is none", (job: object) => ({ ...job, status: "done" })],
  ["a list", () => new Response("[]")],
  ["a year's wait", () => new Response("{}", { status: 429, headers: { "retry-after": "31536000" } })],
  ["an absurd progress", (job: object) => Response.json({ ...job, status: "queued", progress: -1e308 })],
  ["50 MB", () => new Response(`{"status":"completed","padding":"${"x".repeat(50 << 20)}"}`)],
])(
  "a question that is answered with %s is asked again within minutes",
  async (_, answer) => {
    const { id } = await begin({ poll: (count, job) => (count === 1 ? answer(job) : job) });
    await until("the first question", async () => {
      const job = await storage.videoJobs.findAnyones(id);
      return job !== null && (job.facts.failedPolls > 0 || job.status !== "queued" || job.facts.progress > 0);
    }).catch(() => undefined);
    const { nextAt } = (await storage.videoJobs.findAnyones(id)) ?? {};
    expect((nextAt ?? 0) - clock.now()).toBeLessThan(13 * 60_000);
    clock.advance(13 * 60_000);
    expect(await videos().ended(id)).toMatchObject({ status: "completed", progress: 100 });
  },
  30_000,
);

test("a key that was used for a job is no other body's, and stays used when the job has failed", async () => {
  const key = { "idempotency-key": crypto.randomUUID() };
  const prompt = crypto.randomUUID();
  provider.plan(prompt, { poll: (_, job) => ({ ...job, status: "failed" }) });
  const post = (body: object) => videos().post({ model: "film", prompt, ...body }, key);
  const [one, two] = await Promise.all([post({}), post({})]);
  const ids = await Promise.all([one, two].map(async (answer) => ((await answer.json()) as ShownVideo).id));
  expect([one.status, two.status].filter((status) => status === 200).length).toBeGreaterThan(0);
  const id = ids.find((each) => each !== undefined) ?? "";
  expect(new Set(ids.filter((each) => each !== undefined)).size).toBe(1);
  expect((await post({ seconds: 8 })).status).toBe(409);
  await videos().ended(id);
  const again = await post({});
  expect([again.status, ((await again.json()) as ShownVideo).id]).toEqual([200, id]);
  expect(provider.requests.filter((each) => each === "POST /v1/videos").length).toBeGreaterThan(0);
});

test("pages go on though jobs between them are deleted", async () => {
  const payer = await createPayer(gateway, storage, 100 * film);
  const one = videosOf(gateway, payer.key);
  const ids: string[] = [];
  for (let made = 0; made < 6; made++) {
    ids.unshift(((await (await one.post({ model: "film", prompt: "Page." })).json()) as ShownVideo).id);
  }
  const page = async (query: string) => {
    const { data } = (await (await one.fetch(query)).json()) as { data: ShownVideo[] };
    return data.map(({ id }) => id);
  };
  expect(await page("?limit=2")).toEqual(ids.slice(0, 2));
  for (const id of ids.slice(1, 3)) expect((await one.fetch(`/${id}`, { method: "DELETE" })).status).toBe(200);
  expect(await page(`?limit=2&after=${ids[1]}`)).toEqual(ids.slice(3, 5));
  // Another account's.
  for (const path of ["", "/content"]) expect((await videos().fetch(`/${ids[5]}${path}`)).status).toBe(404);
  for (const [path, method] of [
    ["", "DELETE"],
    ["/cancel", "POST"],
  ]) {
    expect((await videos().fetch(`/${ids[5]}${path}`, { method: method ?? "" })).status).toBe(404);
  }
  const remix = { method: "POST", headers: { "content-type": "application/json" }, body: '{"prompt":"x"}' };
  expect((await videos().fetch(`/${ids[5]}/remix`, remix)).status).toBe(404);
});

test("a range of a film is what it says", async () => {
  const { id } = await begin({});
  await videos().ended(id);
  const whole = new Uint8Array(await (await videos().fetch(`/${id}/content`)).arrayBuffer());
  const ranged = async (range: string) => {
    const response = await videos().fetch(`/${id}/content`, { headers: { range } });
    return [response.status, response.headers.get("content-range"), (await response.arrayBuffer()).byteLength];
  };
  expect(await ranged("bytes=0-9")).toEqual([206, `bytes 0-9/${whole.length}`, 10]);
  expect(await ranged("bytes=-5")).toEqual([206, `bytes ${whole.length - 5}-${whole.length - 1}/${whole.length}`, 5]);
  expect((await ranged(`bytes=${whole.length}-`))[0]).toBe(416);
  expect((await ranged(`bytes=5-${"9".repeat(15)}`))[0]).toBe(206);
});

test("a size in another spelling has the price of the size", async () => {
  const response = await videos().post({ model: "film", prompt: "Wide.", size: "01920x001080" });
  expect((await response.json()) as ShownVideo).toMatchObject({ size: "1920x1080" });
});

describe("a picture of a film", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const pictureOf = async (plan: Plan, variant = "thumbnail") => {
    const { id } = await begin(plan);
    await videos().ended(id);
    return videos().fetch(`/${id}/content?variant=${variant}`);
  };

  test.each(["thumbnail", "spritesheet"])("its %s comes from its provider", async (variant) => {
    const seen: string[] = [];
    const response = await pictureOf(
      {
        picture(asked) {
          seen.push(asked);
          return new Response(png, { headers: { "content-type": "text/html" } });
        },
      },
      variant,
    );
    expect([response.status, response.headers.get("content-type"), seen]).toEqual([200, "image/png", [variant]]);
    expect(response.headers.get("content-disposition")).toContain(`attachment; filename="video_`);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
  });

  test.each<[string, () => Response, number, string]>([
    ["nothing", () => new Response("{}", { status: 404 }), 400, "unsupported_parameter"],
    ["an error", () => new Response("{}", { status: 503 }), 503, "no_target_available"],
    ["a redirect", () => Response.redirect("http://127.0.0.2/", 302), 502, "upstream_error"],
    ["SVG", () => new Response('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), 502, "upstream_invalid_response"],
    ["a film", () => new Response(filmThatSays(4, 1)), 502, "upstream_invalid_response"],
    ["9 MB", () => new Response(Buffer.concat([png, Buffer.alloc(9 << 20)])), 502, "upstream_invalid_response"],
  ])("that is %s is an error", async (_, picture, status, code) => {
    const response = await pictureOf({ picture });
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  });

  test("is there only of a finished film, for its own account, under a name that is known", async () => {
    const { id } = await begin({ poll: (_, job) => ({ ...job, status: "in_progress" }) });
    expect((await videos().fetch(`/${id}/content?variant=thumbnail`)).status).toBe(409);
    expect((await videos().fetch(`/${id}/content?variant=poster`)).status).toBe(400);
    const stranger = await createPayer(gateway, storage, film);
    expect((await videosOf(gateway, stranger.key).fetch(`/${id}/content?variant=thumbnail`)).status).toBe(404);
    await videos().fetch(`/${id}/cancel`, { method: "POST" });
  });
});
