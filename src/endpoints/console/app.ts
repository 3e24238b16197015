import { join } from "node:path";
import { notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import type { Visit } from "../visit.ts";
import { createBuiltApp } from "./built-app.ts";
import { consoleOf } from "./console-visit.ts";
import { consoleHeaders } from "./headers.ts";

/** Beside the built program, or in `build/` beside the sources. */
const app = createBuiltApp([join(import.meta.dir, "console"), join(import.meta.dir, "../../../build/console")]);

const html = "text/html; charset=utf-8";

/** `GET /console` and all paths below that are nothing else: the page, which reads the path itself. */
export async function showApp(visit: Visit): Promise<Answer> {
  consoleOf(visit);
  const page = await app.page();
  if (page === null) {
    const headers = { ...consoleHeaders, "content-type": html, "cache-control": "no-store" };
    return { status: 200, headers, body: notBuilt };
  }
  const headers = { ...consoleHeaders, etag: page.etag, "cache-control": "no-cache" };
  if (visit.request.headers.get("if-none-match") === page.etag) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, "content-type": html }, body: page.html };
}

/** `GET /console/assets/{id+}`: its name has the hash of its content, so it never changes. */
export async function showAsset(visit: Visit): Promise<Answer> {
  consoleOf(visit);
  const acceptsGzip = /\bgzip\b/.test(visit.request.headers.get("accept-encoding") ?? "");
  const asset = await app.asset(visit.id, acceptsGzip);
  if (asset === null) throw notFound("unknown_path", `Unknown path ${visit.path.slice(0, 200)}.`);
  const headers = {
    ...consoleHeaders,
    "content-type": asset.contentType,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    ...(asset.isZipped ? { "content-encoding": "gzip" } : {}),
  };
  return { status: 200, headers, body: asset.bytes };
}

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tollgate</title></head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the folder of the installation, and load this page again.</p>
</body>
</html>
`;
