// Which folder of src may import which. See docs/architecture.md.
// A folder may import itself, the folders listed for it, the shared helpers, and npm packages.

const helpers = [
  "ask-thread\\.ts",
  "next-turn\\.ts",
  "nearest-name\\.ts",
  "errors\\.ts",
  "error-catalogue\\.ts",
  "identifiers\\.ts",
  "clock\\.ts",
  "dimensions\\.ts",
  "log\\.ts",
  "attribution/",
  "changes/",
  "http/",
  "json/",
  "sse/",
];

// Tests and their support code.
const testFiles = "\\.(test|testkit)\\.(ts|json)$";

// Where the product starts: its program and its worker threads.
const programs =
  "^src/(main|metering/token-counter-thread|storage/sqlite/checkpoint-worker|storage/audit/audit-thread|config/prices/read-prices-thread|endpoints/openapi/document-thread)\\.ts$";

/** What an operation and a dialect may know of the gateway: types alone, which oxlint has imported as types. */
const gatewayTypes = [
  "files/file-id\\.ts",
  "access/(credentials|identity)\\.ts",
  "responses/(recall|responses)\\.ts",
  "routing/names/model\\.ts",
];

/** What an operation may know of how its candidates are chosen: types alone. */
const choiceTypes = ["routing/choice/(plan|candidate)\\.ts"];

const allowed = {
  config: [
    "billing/prices/(price-document|time-window|rate)\\.ts",
    "billing/prices/import/",
    "dialects/registry\\.ts",
    "routing/names/(models-of|backend-model|route)\\.ts",
    "search/(query|provider)\\.ts",
    "search/cache/search-cache\\.ts",
    "search/providers/registry\\.ts",
    "secrets/secret-key\\.ts",
    "upstream/(provider|http/exchange)\\.ts",
    "webhooks/webhook\\.ts",
  ],
  http: [],
  server: [],
  json: [],
  sse: [],
  conversation: [],
  dialects: ["conversation/", "multipart/", "operations/", "metering/", "search/dialects\\.ts", "search/domains/", ...gatewayTypes],
  search: ["dialects/", "operations/", "metering/", "upstream/address-guard\\.ts", ...choiceTypes, ...gatewayTypes],
  blobs: [],
  multipart: ["blobs/"],
  files: ["blobs/"],
  videos: ["records/", "webhooks/outbox\\.ts"],
  operations: [
    "multipart/",
    "conversation/",
    "dialects/",
    "metering/",
    "upstream/fetch-media\\.ts",
    "search/backend\\.ts",
    "search/cache/search-cache\\.ts",
    ...choiceTypes,
    ...gatewayTypes,
  ],
  upstream: ["conversation/", "dialects/(dialect|exchange)\\.ts"],
  metering: ["conversation/"],
  billing: ["metering/"],
  access: [],
  records: ["metering/", "billing/", "webhooks/outbox\\.ts"],
  usage: ["records/", "metering/", "billing/"],
  reconcile: ["records/"],
  idempotency: ["records/"],
  routing: ["conversation/", "billing/", "access/", "upstream/", "metering/", "search/backend\\.ts", "secrets/"],
  secrets: [],
  responses: ["dialects/openai-responses/"],
  pipeline: [
    "conversation/parts\\.ts",
    "search/(operation|read-request)\\.ts",
    "blobs/(scratch|content)\\.ts",
    "files/",
    "videos/",
    "webhooks/outbox\\.ts",
    "conversation/usage\\.ts",
    "multipart/",
    "dialects/[^/]+\\.ts",
    "dialects/(exchanges|fields)/",
    "operations/",
    "upstream/",
    "metering/",
    "billing/",
    "access/",
    "records/",
    "idempotency/",
    "responses/",
    "routing/",
    "usage/",
    "search/cache/search-cache\\.ts",
    "server/exchange\\.ts",
    "log-request-line\\.ts",
  ],
  endpoints: [
    "blobs/",
    "files/",
    "videos/",
    "multipart/",
    "dialects/",
    "operations/",
    "pipeline/",
    "routing/",
    "records/",
    "billing/",
    "access/",
    "usage/",
    "server/exchange\\.ts",
    "upstream/fetch-media\\.ts",
    "config/values/duration\\.ts",
    "search/(query|receipt)\\.ts",
    "search/fetch/(page-error|page-fetcher)\\.ts",
    "search/domains/key-domain\\.ts",
    "provider-check/test-backend\\.ts",
    "version\\.ts",
  ],
  storage: [
    "access/",
    "files/",
    "videos/",
    "billing/",
    "records/",
    "idempotency/",
    "responses/",
    "routing/",
    "usage/",
    "webhooks/outbox\\.ts",
  ],
  webhooks: ["upstream/address-guard-pin\\.ts"],
  "provider-check": [
    "search/(exchange|read-request|receipt)\\.ts",
    "config/",
    "conversation/",
    "dialects/",
    "operations/",
    "pipeline/",
    "routing/",
    "upstream/",
    "metering/",
  ],
  sandbox: [],
  commands: [
    "config/",
    "access/",
    "billing/",
    "dialects/registry\\.ts",
    "storage/",
    "usage/",
    "reconcile/",
    "routing/(stored|stored-backends)/",
    "routing/names/backend-model\\.ts",
    "secrets/",
    "provider-check/",
    "sandbox/",
    "gateway\\.ts",
    "search/domains/(key-domain|public-suffix)\\.ts",
    "version\\.ts",
  ],
};

const roomRules = Object.entries(allowed).map(([room, rooms]) => ({
  name: `${room}-imports-only-its-neighbours`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: testFiles },
  to: { path: "^src/", pathNot: `^src/(${[`${room}/`, ...rooms, ...helpers].join("|")})` },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "product-does-not-import-tests",
      severity: "error",
      from: { path: "^src/", pathNot: testFiles },
      to: { path: `(^test/|^bench/|^soak/|${testFiles})` },
    },
    {
      // `pass-bytes.ts` is for operations that answer with bytes, of which the toy dialect has the only one so far.
      name: "what-only-tests-use-is-a-testkit",
      severity: "error",
      from: { path: programs },
      to: {
        path: "^src/",
        pathNot: `(${testFiles}|${programs}|^src/dialects/exchanges/pass-bytes\\.ts$)`,
        reachable: false,
      },
    },
    {
      // `test/toy/` is product code by example: docs/adding-an-operation.md quotes it.
      name: "test-support-is-a-testkit",
      severity: "error",
      from: {},
      to: { path: "^test/", pathNot: `(${testFiles}|^test/toy/)` },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    parser: "swc",
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
