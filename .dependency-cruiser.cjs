// Which folder of src may import which. See docs/architecture.md.
// A folder may import itself, the folders listed for it, the shared helpers, and npm packages.

const helpers = [
  "errors\\.ts",
  "identifiers\\.ts",
  "clock\\.ts",
  "dimensions\\.ts",
  "log\\.ts",
  "nearest-name\\.ts",
  "json",
  "sse",
];
const forms = ["conversation", "dialects"];

// Tests and their support code.
const testFiles = "\\.(test|testkit)\\.ts$";

const allowed = {
  config: [],
  json: [],
  sse: [],
  conversation: [],
  dialects: ["conversation"],
  upstream: forms,
  metering: forms,
  billing: [...forms, "metering"],
  access: [],
  records: [...forms, "metering", "billing"],
  idempotency: ["records"],
  routing: [...forms, "billing", "access", "upstream", "metering"],
  responses: [...forms, "access"],
  pipeline: [...forms, "upstream", "metering", "billing", "access", "records", "idempotency", "responses", "routing"],
  endpoints: [...forms, "pipeline", "routing", "records", "responses", "billing", "access", "metering", "upstream"],
  storage: ["access", "metering", "billing", "records", "idempotency", "responses", "routing"],
  sandbox: [],
  "provider-check": [...forms, "config", "pipeline", "upstream"],
  commands: [
    "config",
    "access",
    "billing",
    "storage",
    "records",
    "routing",
    "sandbox",
    "provider-check",
    "gateway\\.ts",
    "version\\.ts",
    "log\\.ts",
  ],
};

const roomRules = Object.entries(allowed).map(([room, rooms]) => ({
  name: `${room}-imports-only-its-neighbours`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: testFiles },
  to: { path: "^src/", pathNot: `^src/(${[room, ...rooms, ...helpers].join("|")})` },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "product-does-not-import-tests",
      severity: "error",
      from: { path: "^src/", pathNot: testFiles },
      to: { path: `(^test/|^bench/|^soak/|${testFiles})` },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    parser: "swc",
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
