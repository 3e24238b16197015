import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { etagOf } from "../etag.ts";

/** The built console. It is looked for when it is opened, not when the gateway starts, and kept in memory. */
export interface BuiltApp {
  /** Null if there is no build. */
  page(): Promise<Page | null>;
  /** Null if the build has no such file. */
  asset(name: string, acceptsGzip: boolean): Promise<Asset | null>;
}

interface Page {
  readonly html: string;
  readonly etag: string;
}

interface Asset {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly isZipped: boolean;
}

interface Build extends Page {
  readonly folder: string;
  /** A newer page stands for a newer build. */
  readonly builtAt: number;
  /** The names of the assets, also of those that are compressed (`NAME.gz`). */
  readonly names: ReadonlySet<string>;
  /** What has been read of them. */
  readonly contents: Map<string, Uint8Array>;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** @param folders the first one with an `index.html` counts; its assets are in `assets/` */
export function createBuiltApp(folders: readonly string[]): BuiltApp {
  let found: Build | null = null;

  async function find(): Promise<Build | null> {
    for (const folder of folders) {
      const file = join(folder, "index.html");
      const builtAt = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      );
      if (builtAt === null) continue;
      if (found?.folder === folder && found.builtAt === builtAt) return found;
      const html = await Bun.file(file).text();
      const names = new Set(await readdir(join(folder, "assets")).catch(() => []));
      found = { folder, builtAt, html, etag: etagOf(html), names, contents: new Map() };
      return found;
    }
    return null;
  }

  return {
    page: find,
    async asset(name, acceptsGzip) {
      const build = found ?? (await find());
      const contentType = types[extname(name)];
      // Only names that were found in the folder are read.
      if (build === null || contentType === undefined || !build.names.has(name)) return null;
      const isZipped = acceptsGzip && build.names.has(`${name}.gz`);
      return { contentType, isZipped, bytes: await contentOf(build, isZipped ? `${name}.gz` : name) };
    },
  };
}

async function contentOf({ folder, contents }: Build, name: string): Promise<Uint8Array> {
  const known = contents.get(name);
  if (known) return known;
  const bytes = await Bun.file(join(folder, "assets", name)).bytes();
  contents.set(name, bytes);
  return bytes;
}
