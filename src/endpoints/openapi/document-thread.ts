/** The thread behind `serve-document.ts`. */

import { type DescribedPath, openApiDocument } from "./document.ts";

globalThis.addEventListener("message", ({ data }: MessageEvent<readonly DescribedPath[]>) => {
  postMessage(JSON.stringify(openApiDocument(data)));
});
