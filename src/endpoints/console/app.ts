import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { etagOf } from "../etag.ts";
import type { Visit } from "../visit.ts";
import { consoleOf } from "./console-visit.ts";
import { consoleHeaders } from "./headers.ts";

/** Where the built console is: beside the built program, or in `build/` beside the sources. */
const places = [join(import.meta.dir, "console"), join(import.meta.dir, "../../../build/console")];

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** The built console, as it was found. */
interface Build {
  readonly folder: string;
  /** A newer page stands for a newer build. */
  readonly builtAt: number;
  readonly page: string;
  readonly etag: string;
  /** The names of the assets, also of those that are compressed (`NAME.gz`). */
  readonly names: ReadonlySet<string>;
  /** What has been read of them. */
  readonly contents: Map<string, Uint8Array>;
}

let found: Build | null = null;

/** `GET /console` and all paths below that are nothing else: the page, which reads the path itself. */
export async function showApp(visit: Visit): Promise<Answer> {
  consoleOf(visit);
  const build = await findBuild();
  if (build === null) return notBuilt();
  const { page, etag } = build;
  const headers = { ...consoleHeaders, etag, "cache-control": "no-cache" };
  if (visit.request.headers.get("if-none-match") === etag) return { status: 304, headers, body: null };
  return { status: 200, headers: { ...headers, "content-type": "text/html; charset=utf-8" }, body: page };
}

/** `GET /console/assets/{id}`: its name has the hash of its content, so it never changes. */
export async function showAsset(visit: Visit): Promise<Answer> {
  consoleOf(visit);
  const { id, request } = visit;
  const build = found ?? (await findBuild());
  const type = types[extname(id)];
  // Only names that were found in the folder are read.
  if (build === null || type === undefined || !build.names.has(id)) {
    throw notFound("unknown_path", `Unknown path ${visit.path.slice(0, 200)}.`);
  }
  const isZipped = build.names.has(`${id}.gz`) && /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const headers = {
    ...consoleHeaders,
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    ...(isZipped ? { "content-encoding": "gzip" } : {}),
  };
  return { status: 200, headers, body: await contentOf(build, isZipped ? `${id}.gz` : id) };
}

/** The build as it is now. It is looked for when the console is opened, not when the gateway starts. */
async function findBuild(): Promise<Build | null> {
  for (const folder of places) {
    const file = join(folder, "index.html");
    const builtAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (builtAt === null) continue;
    if (found?.folder === folder && found.builtAt === builtAt) return found;
    const page = await Bun.file(file).text();
    const names = new Set(await readdir(join(folder, "assets")).catch(() => []));
    found = { folder, builtAt, page, etag: etagOf(page), names, contents: new Map() };
    return found;
  }
  return null;
}

async function contentOf({ folder, contents }: Build, name: string): Promise<Uint8Array> {
  const known = contents.get(name);
  if (known) return known;
  const bytes = await Bun.file(join(folder, "assets", name)).bytes();
  contents.set(name, bytes);
  return bytes;
}

function notBuilt(): Answer {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tollgate</title></head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the folder of the installation, and load this page again.</p>
</body>
</html>
`;
  const headers = { ...consoleHeaders, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return { status: 503, headers, body };
}
