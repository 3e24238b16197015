// Which folder of src may import which. See docs/architecture.md.
// A folder may import itself, the folders listed for it, the shared helpers, and npm packages.

const helpers = [
  "errors\\.ts",
  "error-catalogue\\.ts",
  "identifiers\\.ts",
  "clock\\.ts",
  "dimensions\\.ts",
  "log\\.ts",
  "log-request-line\\.ts",
  "json",
  "sse",
];
// What an operation is made of: the neutral forms, the wire formats, and the kinds of operation that join them.
const forms = ["conversation", "dialects", "operations", "metering"];
// What an operation may ask of the gateway: the caller, the model and its target, stored answers.
const facts = ["access", "routing", "responses", "upstream"];

// Tests and their support code.
const testFiles = "\\.(test|testkit)\\.ts$";

const allowed = {
  json: [],
  sse: [],
  conversation: [],
  access: [],
  metering: ["conversation"],
  billing: ["conversation", "metering"],
  upstream: ["conversation", "dialects", "operations"],
  records: [...forms, "billing"],
  idempotency: ["records"],
  routing: [...forms, "billing", "access", "upstream"],
  responses: [...forms, "access"],
  operations: [...forms, ...facts],
  dialects: [...forms, ...facts],
  config: [...forms, "routing", "upstream"],
  pipeline: [...forms, ...facts, "billing", "records", "idempotency"],
  endpoints: [...forms, ...facts, "pipeline", "records", "billing", "config"],
  storage: [...forms, "access", "billing", "records", "idempotency", "responses", "routing"],
  sandbox: [],
  commands: [
    "config",
    "access",
    "billing",
    "storage",
    "records",
    "routing",
    "dialects",
    "sandbox",
    "upstream",
    "pipeline",
    "gateway\\.ts",
    "version\\.ts",
    "log\\.ts",
    "log-destination\\.ts",
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
