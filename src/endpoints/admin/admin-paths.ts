import { exportForOperator } from "../usage/export.ts";
import { listForOperator } from "../usage/list.ts";
import { showSummaryForOperator } from "../usage/summary.ts";
import { identifyAdmin } from "../keyed.ts";
import { lazily } from "../lazily.ts";
import type { Handler, Handlers } from "../visit.ts";
import { listHealth } from "./catalog/health.ts";
import { lookUpForOperator } from "./usage/requests.ts";
import { deleteRoute, explainDraft, listRoutes, putRoute } from "./catalog/routes.ts";

const keys = lazily(() => import("./keys/keys.ts"));
const keyAccess = lazily(() => import("./keys/key-access.ts"));
const accounts = lazily(() => import("./accounts/accounts.ts"));
const accountTags = lazily(() => import("./accounts/account-tags.ts"));
const budgets = lazily(() => import("./accounts/budgets.ts"));
const prices = lazily(() => import("./prices/prices.ts"));
const priceChanges = lazily(() => import("./prices/change-prices.ts"));
const priceReplay = lazily(() => import("./prices/price-replay.ts"));
const backends = lazily(() => import("./catalog/search-backends.ts"));
const providers = lazily(() => import("./catalog/providers.ts"));
const models = lazily(() => import("./catalog/models.ts"));
const media = lazily(() => import("./media/media.ts"));
const accountBodies = lazily(() => import("./accounts/account-bodies.ts"));
const bodies = lazily(() => import("../usage/bodies.ts"));
const mediaContent = lazily(() => import("./media/media-content.ts"));
const audits = lazily(() => import("./audit/audits.ts"));
const changes = lazily(() => import("./audit/changes.ts"));

const paths: readonly (readonly [path: string, handlers: Handlers])[] = [
  ["/api/admin/keys", { GET: keys("listKeys"), POST: keys("createKeyByAdmin") }],
  ["/api/admin/keys/{id}", { GET: keys("showKey"), PATCH: keys("changeKeyByAdmin") }],
  ["/api/admin/keys/{id}/rotate", { POST: keys("rotateKeyByAdmin") }],
  ["/api/admin/keys/{id}/access", { GET: keyAccess("showKeyAccess") }],
  ["/api/admin/accounts", { GET: accounts("listAccounts"), POST: accounts("createAccount") }],
  ["/api/admin/accounts/{id}", { GET: accounts("showAccountToAdmin") }],
  ["/api/admin/accounts/{id}/tags", { GET: accountTags("showTags"), PUT: accountTags("putTags") }],
  ["/api/admin/accounts/{id}/entries", { GET: accounts("listEntries"), POST: accounts("postEntry") }],
  ["/api/admin/budgets", { GET: budgets("listBudgets"), POST: budgets("setBudgetByAdmin") }],
  ["/api/admin/budgets/{id}", { GET: budgets("showBudget"), DELETE: budgets("deleteBudget") }],
  ["/api/admin/prices", { GET: prices("listVersions") }],
  ["/api/admin/prices/diff", { GET: prices("diffVersions") }],
  ["/api/admin/prices/replay", { GET: priceReplay("replayVersions") }],
  ["/api/admin/prices/preview", { POST: priceChanges("previewFile") }],
  ["/api/admin/prices/import", { POST: priceChanges("importFile") }],
  ["/api/admin/prices/rollback", { POST: priceChanges("rollBackPrices") }],
  ["/api/admin/prices/{id}", { GET: prices("showVersion") }],
  ["/api/admin/prices/{id}/export", { GET: prices("exportVersion") }],
  ["/api/admin/prices/{id}/activate", { POST: priceChanges("activate") }],
  ["/api/admin/changes", { GET: changes("listChanges") }],
  ["/api/admin/videos", { GET: media("listVideosForOperator") }],
  ["/api/admin/events", { GET: media("listEvents") }],
  ["/api/admin/events/{id}/replay", { POST: media("replayEvent") }],
  ["/api/admin/routes", { GET: listRoutes }],
  ["/api/admin/explain-route", { POST: explainDraft }],
  ["/api/admin/routes/{id+}", { PUT: putRoute, DELETE: deleteRoute }],
  ["/api/admin/search-backends", { GET: backends("listBackends"), POST: backends("createBackendByAdmin") }],
  ["/api/admin/search-backends/order", { POST: backends("orderBackendsByAdmin") }],
  [
    "/api/admin/search-backends/{id}",
    { GET: backends("showBackend"), PATCH: backends("changeBackendByAdmin"), DELETE: backends("deleteBackend") },
  ],
  ["/api/admin/search-backends/{id}/test", { POST: backends("testBackendByAdmin") }],
  ["/api/admin/providers", { GET: providers("listProviders"), POST: providers("createProvider") }],
  [
    "/api/admin/providers/{id}",
    { GET: providers("showProvider"), PATCH: providers("changeProvider"), DELETE: providers("deleteProvider") },
  ],
  ["/api/admin/providers/{id}/test", { POST: providers("testProviderByAdmin") }],
  ["/api/admin/models", { GET: models("listModels"), POST: models("createModel") }],
  [
    "/api/admin/models/{id+}",
    { GET: models("showModel"), PATCH: models("changeModel"), DELETE: models("deleteModel") },
  ],
  ["/api/admin/models/{id+}/test", { POST: models("testModelByAdmin") }],
  ["/api/admin/requests/{id}", { GET: lookUpForOperator }],
  ["/api/admin/usage/requests", { GET: listForOperator }],
  ["/api/admin/usage/summary", { GET: showSummaryForOperator }],
  ["/api/admin/usage/export", { GET: exportForOperator }],
  ["/api/admin/health", { GET: listHealth }],
  ["/api/admin/videos/{id}/content", { GET: mediaContent("showFilm") }],
  ["/api/admin/files", { GET: mediaContent("listFilesForOperator") }],
  ["/api/admin/files/{id}/content", { GET: mediaContent("showFile") }],
  ["/api/admin/audit", { POST: audits("startAudit") }],
  ["/api/admin/audits", { GET: audits("listAudits") }],
  ["/api/admin/audits/{id}", { GET: audits("showAudit") }],
  ["/api/admin/audits/{id}/cancel", { POST: audits("cancelAudit") }],
  ["/api/admin/accounts/{id}/log-bodies", { GET: accountBodies("showBodyLog"), PATCH: accountBodies("changeBodyLog") }],
  ["/api/admin/accounts/{id}/bodies", { DELETE: accountBodies("deleteAccountBodies") }],
  ["/api/admin/requests/{id}/bodies", { GET: bodies("showBodiesToOperator"), DELETE: bodies("deleteBodies") }],
];

/** A body may come slowly: whoever is no operator any more when it is here changes nothing with it. */
function checkedAgain(handler: Handler): Handler {
  return (visit) => handler({ ...visit, checkAgain: () => identifyAdmin(visit.services, visit.request) });
}

/** The paths for operators. */
export const adminPaths: typeof paths = paths.map(([path, handlers]) => {
  const checked = Object.entries(handlers).map(([method, handler]) => [method, checkedAgain(handler)]);
  return [path, Object.fromEntries(checked)];
});
