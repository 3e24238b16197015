import type { Dialect } from "../dialect.ts";
import { openaiErrorFormat } from "../openai-chat/errors.ts";
import { readFalError } from "./errors.ts";
import { imagesProvider } from "./images.ts";
import { videoProvider } from "./videos.ts";

/** fal's queues, which only providers speak: their callers are those of OpenAI's images and videos. */
export const fal: Dialect = {
  name: "fal",
  title: "fal",
  defaultBaseUrl: "https://queue.fal.run",
  signing: { in: "header", header: (key) => ["authorization", `Key ${key}`] },
  modelList: null,
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError: readFalError,
  operations: [],
  provides: { images: imagesProvider, videos: videoProvider },
};
