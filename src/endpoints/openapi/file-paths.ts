import { z } from "zod";
import { type Descriptions, input, json, listOf, type NamedSchema } from "./description.ts";

const purpose = z.enum(["assistants", "batch", "fine-tune", "vision", "user_data", "evals"]);

const file: NamedSchema = {
  name: "File",
  schema: z.looseObject({
    id: z.string(),
    object: z.literal("file"),
    bytes: z.int(),
    created_at: z.int(),
    expires_at: z.int().optional(),
    filename: z.string(),
    purpose,
    status: z.literal("processed"),
  }),
};
const deleted: NamedSchema = {
  name: "DeletedFile",
  schema: z.looseObject({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) }),
};
const bytes: NamedSchema = { name: "FileContent", schema: z.string().meta({ format: "binary" }) };

const common = { tag: "files", access: "key" } as const;

/** The paths of files. */
export const filePaths: Descriptions = {
  "POST /v1/files": {
    summary: "Upload a file",
    ...common,
    body: {
      ...input(
        "NewFile",
        z.strictObject({
          file: z.string().meta({ format: "binary" }),
          purpose,
          "expires_after[anchor]": z.literal("created_at").optional(),
          "expires_after[seconds]": z.int().min(3_600).max(2_592_000).optional(),
        }),
      ),
      contentType: "multipart/form-data",
    },
    answer: json(file, "The file"),
  },
  "GET /v1/files": {
    summary: "List the files of the account",
    ...common,
    query: z.object({
      purpose: purpose.optional(),
      after: z.string().optional(),
      limit: z.int().min(1).max(10_000).default(10_000),
      order: z.enum(["asc", "desc"]).default("desc"),
    }),
    answer: json(listOf(file), "The files"),
  },
  "GET /v1/files/{id}": { summary: "Show a file", ...common, answer: json(file, "The file") },
  "DELETE /v1/files/{id}": { summary: "Delete a file", ...common, answer: json(deleted, "What was deleted") },
  "GET /v1/files/{id}/content": {
    summary: "The bytes of a file, or with Range a part of them",
    ...common,
    answer: { description: "The bytes, under the type that they begin like", content: { "*/*": bytes } },
  },
  "GET /v1/media/{id}": {
    summary: "An image behind a link, or with Range a part of it",
    tag: "images",
    access: "anyone",
    answer: { description: "The bytes, under the type that they begin like", content: { "*/*": bytes } },
  },
};
