import { isObject, listOrEmpty } from "../../json/values.ts";
import type { Dialect } from "../dialect.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import { readReplicateError } from "./errors.ts";
import { imagesProvider } from "./images.ts";
import { videoProvider } from "./videos.ts";

/** Replicate's predictions, which only providers speak: their callers are those of OpenAI's images and videos. */
export const replicate: Dialect = {
  name: "replicate",
  title: "Replicate",
  defaultBaseUrl: "https://api.replicate.com/v1",
  signing: { in: "header", header: (key) => ["authorization", `Bearer ${key}`] },
  modelList: { path: "/models", headers: {}, read: readModels },
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError: readReplicateError,
  operations: [],
  provides: { images: imagesProvider, videos: videoProvider },
};

/** A page of all public models: that one is not on it says nothing. */
function readModels(answer: unknown) {
  if (!isObject(answer) || !Array.isArray(answer.results)) return null;
  const names = listOrEmpty(answer.results).flatMap((model) => {
    if (!isObject(model) || typeof model.owner !== "string" || typeof model.name !== "string") return [];
    return [`${model.owner}/${model.name}`];
  });
  return { names, isPartial: true };
}
