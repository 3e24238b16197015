import type { Dialects } from "../dialects/dialect.ts";
import { messagesErrorFormat } from "../dialects/anthropic-messages/messages.ts";
import { geminiErrorFormat } from "../dialects/gemini/generate-content.ts";
import { openaiErrorFormat } from "../dialects/openai-chat/error-format.ts";
import type { ErrorFormat, Operation, OperationInput } from "../operations/operation.ts";
import { showAccount } from "./account.ts";
import { listHealth } from "./admin-health.ts";
import { deleteRoute, listRoutes, putRoute } from "./admin-routes.ts";
import { explainRoute } from "./explain-route.ts";
import { health, readiness } from "./health.ts";
import { home } from "./home.ts";
import { listCatalog } from "./models-catalog.ts";
import { listModels, modelsErrorFormat, retrieveModel } from "./models.ts";
import { compilePath, type PathParameters, type PathPattern } from "./path-pattern.ts";
import { cancelResponse, deleteResponse, listResponseInput, retrieveResponse } from "./stored-responses.ts";
import { lookUpForOperator, lookUpRecord } from "./usage-requests.ts";
import type { Handler } from "./visit.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** What one path answers, by method: an operation of a dialect, which is billable, or a path of the gateway's own. */
export interface PathEntry {
  readonly path: string;
  /** How its errors are written. */
  readonly errorFormat: ErrorFormat;
  readonly handlers: Partial<Readonly<Record<Method, Handler>>>;
  readonly operations: Partial<Readonly<Record<Method, Operation<OperationInput>>>>;
}

/** The gateway's own paths. */
const ownPaths: readonly (readonly [path: string, errorFormat: ErrorFormat, handlers: PathEntry["handlers"]])[] = [
  ["/v1/responses/{id}", openaiErrorFormat, { GET: retrieveResponse, DELETE: deleteResponse }],
  ["/v1/responses/{id}/input_items", openaiErrorFormat, { GET: listResponseInput }],
  ["/v1/responses/{id}/cancel", openaiErrorFormat, { POST: cancelResponse }],
  ["/v1beta/models", geminiErrorFormat, { GET: listModels }],
  ["/v1beta/models/{id+}", geminiErrorFormat, { GET: retrieveModel }],
  ["/v1/models", openaiErrorFormat, { GET: listModels }],
  ["/v1/models/{id+}", openaiErrorFormat, { GET: retrieveModel }],
  ["/api/models/catalog", openaiErrorFormat, { GET: listCatalog }],
  ["/api/account", openaiErrorFormat, { GET: showAccount }],
  ["/api/usage/requests/{id}", openaiErrorFormat, { GET: lookUpRecord }],
  ["/api/admin/routes", openaiErrorFormat, { GET: listRoutes }],
  ["/api/admin/routes/{id+}", openaiErrorFormat, { PUT: putRoute, DELETE: deleteRoute }],
  ["/api/routes/explain", openaiErrorFormat, { POST: explainRoute }],
  ["/api/admin/requests/{id}", openaiErrorFormat, { GET: lookUpForOperator }],
  ["/api/admin/health", openaiErrorFormat, { GET: listHealth }],
  ["/", openaiErrorFormat, { GET: home }],
  ["/healthz", openaiErrorFormat, { GET: health }],
  ["/readyz", openaiErrorFormat, { GET: readiness }],
];

/** Where a path leads. */
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

/** Every operation of every dialect at its paths, then the gateway's own paths. */
export function createPathTable(dialects: Dialects): PathTable {
  const entries = new Map<string, PathEntry>();
  const add = (path: string, errorFormat: ErrorFormat, part: Partial<PathEntry>) => {
    const known = entries.get(path) ?? { path, errorFormat, handlers: {}, operations: {} };
    const handlers = { ...known.handlers, ...part.handlers };
    const operations = { ...known.operations, ...part.operations };
    entries.set(path, { ...known, handlers, operations });
  };
  for (const { operations } of dialects.all) {
    for (const operation of operations) {
      for (const path of operation.paths) {
        add(path, operation.errorFormat, { operations: { [operation.method]: operation } });
      }
    }
  }
  for (const [path, errorFormat, handlers] of ownPaths) add(path, errorFormat, { handlers });

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

/** How errors are written at a path that is not in the table, or that more than one vendor's SDK asks. */
export function errorFormatAt(path: string, headers: Headers): ErrorFormat {
  if (path.startsWith("/v1beta/")) return geminiErrorFormat;
  if (path.startsWith("/v1/messages")) return messagesErrorFormat;
  return path.startsWith("/v1/models") ? modelsErrorFormat(path, headers) : openaiErrorFormat;
}
