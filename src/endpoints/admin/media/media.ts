import { notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { VideoJob } from "../../../videos/video-job.ts";
import { videoView } from "../../../videos/video-view.ts";
import { eventView } from "../../../webhooks/event-view.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { eventListQuery, videoListQuery } from "./media-schemas.ts";
import { toPage } from "../input/page.ts";
import { readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/videos`: the jobs of all accounts, newest first. */
export async function listVideosForOperator(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { unpaid, limit, after = null, account: accountId = null, status = null } = readQuery(visit, videoListQuery);
  const query = { after, limit: limit + 1, unpaid: unpaid === "true", accountId, status };
  const found = await withStorage(services, () => services.videos.store.listAll(query));
  return jsonAnswer(toPage(found, limit, operatorView, ({ id }) => id));
}

/** `GET /api/admin/events`: what webhooks are told of, newest first. */
export async function listEvents(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { undelivered, limit, after = null } = readQuery(visit, eventListQuery);
  const query = { after, limit: limit + 1, undelivered: undelivered === "true" };
  const found = await withStorage(services, () => services.managed.outbox.list(query));
  return jsonAnswer(toPage(found, limit, eventView, ({ id }) => id));
}

/** `POST /api/admin/events/{id}/replay`: tells all webhooks of an event once more. */
export async function replayEvent({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const replayed = await withStorage(services, () => services.managed.outbox.replay(id, services.clock.now()));
  if (replayed === null) throw notFound("event_not_found", `No such event: '${id.slice(0, 64)}'.`, "id");
  return jsonAnswer(eventView(replayed));
}

function operatorView(job: VideoJob) {
  return {
    ...videoView(job),
    account: job.accountId,
    request_id: job.requestId,
    phase: job.phase,
    provider: job.provider === "" ? null : job.provider,
    provider_job_id: job.providerJobId,
    provider_cost_microusd: job.providerCostMicrousd,
    is_deleted: job.deletedAt !== null,
  };
}
