import { expect, test } from "bun:test";
import { newRequestId } from "../../identifiers.ts";
import { compactRecord } from "../../records/compact-record.ts";
import { exampleRecord } from "../../records/example-record.testkit.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { VideoJob } from "../../videos/video-job.ts";
import type { Storage } from "../storage.ts";

let last = 0;

/** Tests that every store of video jobs must pass. `other` is the same database as seen by another process. */
export function videoContract(stores: () => { readonly storage: Storage; readonly other: Storage }): void {
  function newJob(change: Partial<VideoJob> = {}): { job: VideoJob; record: UsageRecord } {
    const requestId = newRequestId(1_000_000 + (last += 1));
    const record = exampleRecord({ id: requestId, status: "pending", responseId: null, heldMicrousd: 0 });
    const job: VideoJob = {
      id: `video_${requestId.slice(4)}`,
      accountId: `account${last}`,
      requestId,
      createdAt: 1_000,
      status: "queued",
      phase: "running",
      nextAt: 2_000,
      version: 0,
      provider: `provider${last}`,
      providerJobId: `job${last}`,
      blobKey: null,
      expiresAt: null,
      endedAt: null,
      deletedAt: null,
      providerCostMicrousd: null,
      facts: {
        model: "film",
        prompt: "Zoë's 日本",
        seconds: "8",
        size: "1280x720",
        chargedSeconds: null,
        remixedFrom: null,
        progress: 0,
        error: null,
        servedBy: "film",
        dialect: "openai-chat",
        upstreamModel: "film-1",
        credential: null,
        providerData: { url: "https://a.example/" },
        submittedAt: 1_000,
        failedPolls: 0,
        failedCopies: 0,
        isCancelDue: false,
        bytes: 0,
        contentType: "video/mp4",
        idempotencyKey: null,
        keyId: record.keyId,
      },
      ...change,
    };
    return { job, record };
  }

  async function created(change: Partial<VideoJob> = {}) {
    const made = newJob(change);
    await stores().storage.videoJobs.create(made.job, compactRecord(made.record));
    return made;
  }

  test("a job and its record are there together, for its own account", async () => {
    const { job, record } = await created();
    const { videoJobs, records } = stores().other;
    expect(await videoJobs.find(job.accountId, job.id)).toEqual(job);
    expect(await videoJobs.find("stranger", job.id)).toBeNull();
    expect(await videoJobs.findAnyones(job.id)).toEqual(job);
    expect((await records.findAnyones(record.id))?.status).toBe("pending");
  });

  test("an id at a provider is known, of any of the providers that are given", async () => {
    const { job } = await created();
    const { videoJobs } = stores().other;
    const id = job.providerJobId ?? "";
    expect(await videoJobs.isKnown(["none", job.provider], id)).toBe(true);
    expect(await videoJobs.isKnown(["none"], id)).toBe(false);
    expect(await videoJobs.isKnown([job.provider], "none")).toBe(false);
  });

  test("a job has a twin if another provider may have taken its prompt on", async () => {
    const { facts } = newJob().job;
    const asked = (change: Partial<VideoJob>, prompt: string) =>
      created({ providerJobId: null, ...change, facts: { ...facts, prompt } });
    const { videoJobs } = stores().other;
    const twinsOf = async (change: Partial<VideoJob>, since = 0) => {
      const prompt = `'"$.Zoë ${(last += 1)}`;
      const { job } = await asked({}, prompt);
      await asked(change, prompt);
      return videoJobs.hasTwin(job, since);
    };
    expect(await twinsOf({})).toBe(true);
    expect(await twinsOf({ status: "failed", phase: "over" })).toBe(true);
    expect(await twinsOf({}, 10 * 3_600_000)).toBe(false);
    expect(await twinsOf({ providerJobId: "known" })).toBe(false);
    expect(await twinsOf({ provider: "" })).toBe(false);
    const { job } = await asked({}, `Alone ${(last += 1)}`);
    expect(await videoJobs.hasTwin(job, 0)).toBe(false);
    await asked({ provider: job.provider }, job.facts.prompt);
    expect(await videoJobs.hasTwin(job, 0)).toBe(false);
  });

  test("of changes from one state the first is made", async () => {
    const { job } = await created();
    const { storage, other } = stores();
    const changes = await Promise.all([
      storage.videoJobs.change({ ...job, status: "in_progress" }),
      other.videoJobs.change({ ...job, nextAt: 9 }),
      other.videoJobs.change({ ...job, nextAt: 10 }),
    ]);
    expect(changes.filter(Boolean)).toHaveLength(1);
    expect((await other.videoJobs.findAnyones(job.id))?.version).toBe(1);
  });

  test("a job ends once, with its record and its event in the same transaction", async () => {
    const { job, record } = await created();
    const { storage, other } = stores();
    const ends = (["completed", "failed"] as const).map((status, index) => {
      const final = compactRecord({ ...record, status: status === "completed" ? "succeeded" : "failed" });
      const event = { id: `evt_${job.id}_${index}`, kind: `video.${status}`, accountId: job.accountId };
      const ended: VideoJob = { ...job, status, phase: "over", nextAt: null, endedAt: 3_000 };
      return { job: ended, record: final, event: { ...event, payload: "{}", createdAt: 3_000 } };
    });
    const [first, second] = ends;
    if (!first || !second) throw new Error("There are two ends.");
    const made = await Promise.all([storage.videoJobs.end(first), other.videoJobs.end(second)]);
    expect(made.filter(Boolean)).toHaveLength(1);
    const ended = await storage.videoJobs.findAnyones(job.id);
    const found = await storage.records.findAnyones(record.id);
    expect([ended?.status, found?.status]).toEqual(made[0] ? ["completed", "succeeded"] : ["failed", "failed"]);
    const events = await storage.outbox.list({ after: null, limit: 1_000, undelivered: true });
    expect(events.filter(({ accountId }) => accountId === job.accountId)).toHaveLength(1);
  });

  test("a job that was dropped is gone, and its record final", async () => {
    const { job, record } = await created();
    const { storage, other } = stores();
    const final = compactRecord({ ...record, status: "failed" });
    expect(await storage.videoJobs.drop({ job: { ...job, version: 5 }, record: final, event: null })).toBe(false);
    expect((await storage.records.findAnyones(record.id))?.status).toBe("pending");
    expect(await storage.videoJobs.drop({ job, record: final, event: null })).toBe(true);
    expect(await other.videoJobs.findAnyones(job.id)).toBeNull();
    expect((await other.records.findAnyones(record.id))?.status).toBe("failed");
  });

  test("of two processes one claims each job that is due", async () => {
    const provider = `claimed${(last += 1)}`;
    const jobs: string[] = [];
    for (let index = 0; index < 20; index++) jobs.push((await created({ provider, nextAt: 100 + index })).job.id);
    await created({ provider, nextAt: 5_000 });
    await created({ provider, nextAt: null });
    const { storage, other } = stores();
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? storage : other).videoJobs.claim(provider, 200, 9_000, 3),
      ),
    );
    const claimed = claims.flat();
    for (const { nextAt, version } of claimed) expect([nextAt, version]).toEqual([9_000, 1]);
    for (let rest = claimed; rest.length > 0;) {
      rest = await other.videoJobs.claim(provider, 200, 9_000, 3);
      claimed.push(...rest);
    }
    expect(claimed.map(({ id }) => id).sort()).toEqual(jobs.sort());
    expect(await storage.videoJobs.otherProviders(["x", ""], 10_000)).toContain(provider);
    const [one] = claimed;
    if (!one) throw new Error("Some were claimed.");
    // The lease is over.
    expect(await storage.videoJobs.claim(provider, 9_000, 10_000, 20)).not.toEqual([]);
    // What was claimed before does not count any more.
    expect(await storage.videoJobs.change(one)).toBe(false);
  });

  test("a job that waits is woken once, before all others; one that is being asked for is not", async () => {
    const provider = `woken${(last += 1)}`;
    await created({ provider, nextAt: 100 });
    const { job } = await created({ provider, nextAt: 5_000 });
    const over = await created({ provider, nextAt: null });
    const { storage, other } = stores();
    const wake = (providerJobId: string | null) => other.videoJobs.wake(provider, providerJobId ?? "");
    expect(await wake(job.providerJobId)).toBe(true);
    expect(await wake(job.providerJobId)).toBe(false);
    const [woken] = await storage.videoJobs.claim(provider, 200, 9_000, 1);
    expect(woken?.id).toBe(job.id);
    expect(await wake(job.providerJobId)).toBe(false);
    expect((await storage.videoJobs.findAnyones(job.id))?.nextAt).toBe(9_000);
    expect(await storage.videoJobs.change({ ...job, version: 1, nextAt: 9_000 })).toBe(true);
    expect(await wake(job.providerJobId)).toBe(true);
    expect([await wake(over.job.providerJobId), await wake("unknown")]).toEqual([false, false]);
  });

  test("pages follow one another, without what was deleted", async () => {
    const accountId = `pages${(last += 1)}`;
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.push((await created({ accountId })).job.id);
    await created({ accountId, deletedAt: 5 });
    const { videoJobs } = stores().other;
    const page = async (order: "asc" | "desc", after: string | null) =>
      (await videoJobs.list({ accountId, order, after, limit: 3 })).map(({ id }) => id);
    expect([await page("asc", null), await page("asc", ids[2] ?? "")]).toEqual([ids.slice(0, 3), ids.slice(3)]);
    expect(await page("desc", null)).toEqual(ids.toReversed().slice(0, 3));
  });

  test("a film keeps its blob until it expires, and a job cannot end with a blob that was given up", async () => {
    const { storage, other } = stores();
    const content = `film ${(last += 1)}`;
    const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
    const key = await storage.files.claimBlob({ sha256, key: `${sha256}-00000001`, until: 10 });
    const { job, record } = await created();
    const { job: late, record: lateRecord } = await created();
    const ending = (from: VideoJob, of: UsageRecord) => {
      const ended: VideoJob = {
        ...from,
        status: "completed",
        phase: "over",
        nextAt: null,
        endedAt: 1,
        blobKey: key,
        expiresAt: 50,
      };
      return { job: ended, record: compactRecord({ ...of, status: "succeeded" }), event: null };
    };
    expect(await storage.videoJobs.end(ending(job, record))).toBe(true);
    expect(await other.files.giveUpBlobs(1e12, 10_000)).not.toContain(key);
    while ((await other.videoJobs.expire(50, 100)) > 0);
    expect(await other.files.giveUpBlobs(1e12, 10_000)).toContain(key);
    expect(await storage.videoJobs.end(ending(late, lateRecord))).toBe(false);
    expect((await storage.records.findAnyones(lateRecord.id))?.status).toBe("pending");
    await storage.files.forgetBlob(key);
  });

  test("old jobs are deleted, and those that their callers have deleted, unless they cost something", async () => {
    const { videoJobs } = stores().storage;
    const over = { phase: "over", nextAt: null, status: "failed" } as const;
    const old = await created({ ...over, endedAt: 10 });
    const young = await created({ ...over, endedAt: 1e15 });
    const deleted = await created({ ...over, endedAt: 1e15, deletedAt: 5 });
    const deletedNow = await created({ ...over, endedAt: 1e15, deletedAt: 30 });
    const costly = await created({ ...over, endedAt: 1e15, deletedAt: 5, providerCostMicrousd: 7 });
    const running = await created({ endedAt: null });
    while ((await videoJobs.deleteOld({ endedBefore: 20, deletedBefore: 30 }, 100)) > 0);
    const left = async ({ job }: { job: VideoJob }) => (await videoJobs.findAnyones(job.id)) !== null;
    expect(await Promise.all([old, young, deleted, deletedNow, costly, running].map(left))).toEqual([
      false,
      true,
      false,
      true,
      true,
      true,
    ]);
    const unpaid = await videoJobs.listAll({ after: null, limit: 1_000, unpaid: true });
    expect(unpaid.map(({ id }) => id)).toContain(costly.job.id);
    expect(unpaid.map(({ id }) => id)).not.toContain(young.job.id);
    const { accountId, status } = young.job;
    const listed = async (query: object) => {
      const jobs = await videoJobs.listAll({ after: null, limit: 1_000, unpaid: false, ...query });
      return jobs.some(({ id }) => id === young.job.id);
    };
    expect(await listed({ accountId, status })).toBe(true);
    expect(await listed({ accountId: "none" })).toBe(false);
    expect(await listed({ status: status === "failed" ? "queued" : "failed" })).toBe(false);
  });
}
