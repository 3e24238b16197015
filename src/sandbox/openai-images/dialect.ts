import type { Dialect } from "../dialect.ts";
import { only, openaiChat } from "../openai-chat/dialect.ts";
import { readEditCall, readGenerationCall } from "./images-call.ts";
import { picturePath, readPictureName } from "./picture-url.ts";

/** OpenAI's images, and the addresses at which they are. */
export const openaiImages: Dialect = {
  ...openaiChat,
  name: "openai-images",

  route(method, path, headers) {
    const origin = `http://${headers["host"] ?? "127.0.0.1"}`;
    if (path === "/v1/images/generations") {
      return only("POST", method, path, { kind: "generate", read: (body) => readGenerationCall(body, origin) });
    }
    if (path === "/v1/images/edits") {
      const contentType = headers["content-type"] ?? "";
      return only("POST", method, path, {
        kind: "receive",
        read: (body) => readEditCall(body, contentType, origin),
      });
    }
    if (!path.startsWith(picturePath)) return null;
    const bytes = readPictureName(path.slice(picturePath.length));
    return only("GET", method, path, { kind: "bytes", contentType: "image/png", bytes });
  },
};
