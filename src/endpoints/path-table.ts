import type { Dialects } from "../dialects/dialect.ts";
import { showAccount } from "./account.ts";
import { adminPaths } from "./admin/admin-paths.ts";
import { consolePaths } from "./console/console-paths.ts";
import { explainRoute } from "./explain-route.ts";
import { createFile, deleteFile, fileContent, listFiles, retrieveFile } from "./files.ts";
import { health, readiness } from "./health.ts";
import { home } from "./home.ts";
import { linkedMedia } from "./media.ts";
import { listCatalog } from "./models/catalog.ts";
import { listModels, retrieveModel } from "./models/models.ts";
import { serveDocument } from "./openapi/serve-document.ts";
import type { PathEntry } from "./path-entry.ts";
import { compilePath, type PathParameters, type PathPattern } from "./path-pattern.ts";
import { takeWebhook } from "./provider-webhooks.ts";
import { quoteRequest } from "./usage/quote.ts";
import { cancelResponse, deleteResponse, listResponseInput, retrieveResponse } from "./stored-responses.ts";
import { exportUsage } from "./usage/export.ts";
import { listRecords } from "./usage/list.ts";
import { showBodies } from "./usage/bodies.ts";
import { lookUpRecord } from "./usage/requests.ts";
import { showSummary } from "./usage/summary.ts";
import { cancelVideo, deleteVideo, listVideos, retrieveVideo, videoContent } from "./videos.ts";
import type { Handlers } from "./visit.ts";

/** The gateway's own paths. */
const ownPaths: readonly (readonly [path: string, handlers: Handlers])[] = [
  ["/v1/responses/{id}", { GET: retrieveResponse, DELETE: deleteResponse }],
  ["/v1/responses/{id}/input_items", { GET: listResponseInput }],
  ["/v1/responses/{id}/cancel", { POST: cancelResponse }],
  ["/v1/files", { POST: createFile, GET: listFiles }],
  ["/v1/files/{id}", { GET: retrieveFile, DELETE: deleteFile }],
  ["/v1/files/{id}/content", { GET: fileContent }],
  ["/v1/media/{id}", { GET: linkedMedia }],
  ["/v1/videos", { GET: listVideos }],
  ["/v1/videos/{id}", { GET: retrieveVideo, DELETE: deleteVideo }],
  ["/v1/videos/{id}/content", { GET: videoContent }],
  ["/v1/videos/{id}/cancel", { POST: cancelVideo }],
  ["/v1/webhooks/{id}", { POST: takeWebhook }],
  ["/v1beta/models", { GET: listModels }],
  ["/v1beta/models/{id+}", { GET: retrieveModel }],
  ["/v1/models", { GET: listModels }],
  ["/v1/models/{id+}", { GET: retrieveModel }],
  ["/api/models/catalog", { GET: listCatalog }],
  ["/api/account", { GET: showAccount }],
  ["/api/usage/requests", { GET: listRecords }],
  ["/api/usage/summary", { GET: showSummary }],
  ["/api/usage/export", { GET: exportUsage }],
  ["/api/usage/requests/{id}", { GET: lookUpRecord }],
  ["/api/usage/requests/{id}/bodies", { GET: showBodies }],
  ["/api/quote", { POST: quoteRequest }],
  ["/api/routes/explain", { POST: explainRoute }],
  ...adminPaths,
  ...consolePaths,
  ["/", { GET: home }],
  ["/healthz", { GET: health }],
  ["/readyz", { GET: readiness }],
];

/** The entry of a path. */
export interface Found {
  readonly entry: PathEntry;
  readonly parameters: PathParameters;
}

/** All public paths. */
export interface PathTable {
  readonly entries: readonly PathEntry[];
  /** @param path unescaped, without the query; null if nothing is there */
  find(path: string): Found | null;
}

/**
 * Every operation of every dialect at its paths, then the gateway's own paths.
 * @throws if two of them have the same method and path
 */
export function createPathTable(dialects: Dialects): PathTable {
  const entries = new Map<string, PathEntry>();
  const taken = new Set<string>();
  const add = (path: string, part: Partial<PathEntry>) => {
    const known = entries.get(path) ?? { path, handlers: {}, operations: {} };
    for (const method of Object.keys({ ...part.handlers, ...part.operations })) {
      // Two patterns that differ in the name of a placeholder alone match the same paths.
      const place = `${method} ${path.replaceAll(/\{\w+/g, "{")}`;
      if (taken.has(place)) throw new Error(`Two operations are registered at ${method} ${path}.`);
      taken.add(place);
    }
    const handlers = { ...known.handlers, ...part.handlers };
    const operations = { ...known.operations, ...part.operations };
    entries.set(path, { ...known, handlers, operations });
  };
  for (const { operations } of dialects.all) {
    for (const operation of operations) {
      for (const path of operation.paths) {
        add(path, { operations: { [operation.method]: operation } });
      }
    }
  }
  for (const [path, handlers] of ownPaths) add(path, { handlers });
  add("/api/openapi.json", { handlers: { GET: serveDocument(() => [...entries.values()]) } });

  const all = [...entries.values()];
  const patterns: (readonly [PathPattern, PathEntry])[] = all
    .filter(({ path }) => path.includes("{"))
    // What is longer is more particular: `.../{model+}:countTokens` comes before `.../{id+}`.
    .sort((a, b) => b.path.length - a.path.length)
    .map((entry) => [compilePath(entry.path), entry]);
  return {
    entries: all,
    find(path) {
      const exact = entries.get(path);
      if (exact) return { entry: exact, parameters: {} };
      for (const [pattern, entry] of patterns) {
        const parameters = pattern.match(path);
        if (parameters) return { entry, parameters };
      }
      return null;
    },
  };
}
