import { z } from "zod";
import { type Descriptions, input, json, listOf, type NamedSchema } from "./description.ts";

const video: NamedSchema = {
  name: "Video",
  schema: z.looseObject({
    id: z.string(),
    object: z.literal("video"),
    model: z.string(),
    status: z.enum(["queued", "in_progress", "completed", "failed"]),
    progress: z.int().min(0).max(100),
    created_at: z.int(),
    completed_at: z.int().nullable(),
    expires_at: z.int().nullable().describe("When the film goes"),
    prompt: z.string().nullable(),
    size: z.string(),
    seconds: z.string(),
    remixed_from_video_id: z.string().nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  }),
};
const deleted: NamedSchema = {
  name: "DeletedVideo",
  schema: z.looseObject({ id: z.string(), object: z.literal("video.deleted"), deleted: z.literal(true) }),
};
const received: NamedSchema = {
  name: "ReceivedWebhook",
  schema: z.looseObject({ received: z.literal(true) }),
};
const film: NamedSchema = { name: "VideoContent", schema: z.string().meta({ format: "binary" }) };

const common = { tag: "videos", access: "key" } as const;

/** The paths of jobs that make films. */
export const videoPaths: Descriptions = {
  "POST /v1/videos": {
    summary: "Begin to make a film",
    ...common,
    body: {
      ...input(
        "NewVideo",
        z.looseObject({
          model: z.string(),
          prompt: z.string().min(1).max(32_000),
          seconds: z.union([z.string(), z.number()]).optional(),
          size: z.string().optional(),
          input_reference: z.string().meta({ format: "binary" }).optional(),
        }),
      ),
      contentType: "multipart/form-data",
    },
    answer: json(video, "The job, which is queued"),
  },
  "POST /v1/videos/{id}/remix": {
    summary: "Begin to change a finished film",
    ...common,
    body: input("RemixVideo", z.looseObject({ prompt: z.string().min(1).max(32_000) })),
    answer: json(video, "The job, which is queued"),
  },
  "GET /v1/videos": {
    summary: "List the video jobs of the account",
    ...common,
    query: z.object({
      after: z.string().optional(),
      limit: z.int().min(1).max(100).default(20),
      order: z.enum(["asc", "desc"]).default("desc"),
    }),
    answer: json(listOf(video), "The jobs"),
  },
  "GET /v1/videos/{id}": { summary: "Show a video job", ...common, answer: json(video, "The job") },
  "DELETE /v1/videos/{id}": {
    summary: "Delete a video job, which is cancelled before if it runs",
    ...common,
    answer: json(deleted, "What was deleted"),
  },
  "POST /v1/videos/{id}/cancel": {
    summary: "Cancel a video job; one that has ended stays as it is",
    ...common,
    answer: json(video, "The job"),
  },
  "GET /v1/videos/{id}/content": {
    summary: "The film, or with Range a part of it, or a picture of it if its provider has one",
    ...common,
    query: z.object({ variant: z.enum(["video", "thumbnail", "spritesheet"]).default("video") }),
    answer: { description: "The bytes of the film", content: { "video/*": film } },
  },
  "POST /v1/webhooks/{id}": {
    summary: "A provider tells of the end of a job: `id` is the provider's, and its signature takes the place of a key",
    tag: "videos",
    access: "anyone",
    body: input("ProviderWebhook", z.looseObject({})),
    answer: json(received, "The job is asked for"),
  },
};
