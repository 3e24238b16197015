import { missingParameter } from "../../../errors.ts";
import type { Operation, ReadContext } from "../../../operations/operation.ts";
import { checkVideoModel, videoCapabilities } from "../../../operations/videos/check-model.ts";
import type { JobFacts } from "../../../operations/videos/job-facts.ts";
import type { VideoRequest } from "../../../operations/videos/video.ts";
import { videoExchange } from "../../../operations/videos/video-exchange.ts";
import { openaiErrorFormat } from "../errors.ts";
import { readVideoFields, type VideoFields } from "./read-video-request.ts";

/** OpenAI's own where the caller does not say. */
const usualSeconds = 4;
const usualSize = "720x1280";

/** A request, with what is assumed where it does not say. */
interface AskedVideo extends VideoRequest {
  readonly seconds: number;
  readonly size: string;
  readonly given: Pick<VideoFields, "seconds" | "size">;
}

/** What both ways to begin a film have in common. */
const common = {
  endpoint: "videos",
  method: "POST",
  body: "json_or_multipart",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  capabilities: videoCapabilities,
  countsTokens: false,
  size: () => 0,
  estimateInput: async () => 0,
  expectedUsage({ seconds }: AskedVideo) {
    const quantities = { video_second: seconds };
    return { expected: quantities, max: () => quantities, writes: null };
  },
  checkModel: ({ given, ...request }: AskedVideo, model) => checkVideoModel({ ...request, ...given }, model),
  exchange: ({ given, ...request }: AskedVideo, target, model, tools) =>
    videoExchange({ ...request, ...given }, target, model, tools),
  job: ({ jobId: id, prompt, seconds, size, remixOf }: AskedVideo): JobFacts => {
    return { id, prompt, seconds: String(seconds), size, remixedFrom: remixOf?.jobId ?? null };
  },
} as const satisfies Partial<Operation<AskedVideo>>;

/** `POST /v1/videos`: begins to make a film. */
export const createVideo: Operation<AskedVideo> = {
  ...common,
  paths: ["/v1/videos"],
  async read(body, context) {
    const fields = await readVideoFields(body, context);
    if (fields.model === null) throw missingParameter("model");
    return asked(fields, fields.model, context);
  },
};

/** `POST /v1/videos/{id}/remix`: begins to change a finished film, at the provider that made it. */
export const remixVideo: Operation<AskedVideo> = {
  ...common,
  paths: ["/v1/videos/{id}/remix"],
  async read(body, context) {
    const fields = await readVideoFields(body, context);
    const id = new URL(context.url).pathname.split("/").at(-2) ?? "";
    const source = await context.videos.remixSource(context.identity.key.accountId, id);
    const { requestedModel, seconds, size, ...remixOf } = source;
    const request = asked({ ...fields, seconds: undefined, size: undefined }, requestedModel, context);
    return { ...request, remixOf, seconds: Number(seconds), size };
  },
};

function asked(fields: VideoFields, model: string, { requestId }: ReadContext): AskedVideo {
  const { prompt, seconds, size, image, otherFields } = fields;
  return {
    model,
    stream: false,
    // Of the request's own id, which is unique and sorts by time.
    jobId: `video_${requestId.slice("req_".length)}`,
    prompt,
    seconds: seconds ?? usualSeconds,
    size: size ?? usualSize,
    given: { seconds, size },
    image,
    remixOf: null,
    otherFields,
  };
}
