import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { version } from "../version.ts";
import type { Visit } from "./visit.ts";

/** The links for a visitor, in the order in which they are shown. */
const places = [
  { path: "/console", what: "the console" },
  { path: "/healthz", what: "whether the process runs" },
  { path: "/readyz", what: "whether requests can be served" },
  { path: "/api/openapi.json", what: "all paths, as an OpenAPI document" },
  { path: "/v1/models", what: "the models that an API key may use (needs the key)" },
  { path: "/api/models/catalog", what: "the same with abilities, limits and prices (needs the key)" },
  { path: "/api/account", what: "the account of an API key and its balance (needs the key)" },
] as const;

const summary =
  "Tollgate is a gateway in front of model providers: one key and one base URL for every model, with the SDK of any vendor.";
const documentation = "The documentation is README.md and docs/ of the installation.";
const baseUrls = [
  { client: "OpenAI", suffix: "/v1" },
  { client: "Anthropic", suffix: "" },
  { client: "Google", suffix: "" },
] as const;

const style = "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}";
const styleHash = Bun.CryptoHasher.hash("sha256", style, "base64");
const headers = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  vary: "Accept",
};

/** `GET /`: what this is and where to go from here, as a page for browsers and as JSON for all others. */
export function home({ request }: Visit): Answer {
  if (request.headers.get("accept")?.includes("text/html")) return { status: 200, headers, body: page };
  const body = { object: "gateway", name: "tollgate", version, description: summary, documentation, paths: places };
  return jsonAnswer(body, 200, { vary: "Accept" });
}

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tollgate</title><style>${style}</style></head>
<body>
<h1>Tollgate ${version}</h1>
<p>${summary}</p>
<h2>Base URLs for clients</h2>
<ul>${baseUrls.map(({ client, suffix }) => `<li>${client}: this address${suffix === "" ? "" : ` and <code>${suffix}</code>`}</li>`).join("")}</ul>
<h2>Paths</h2>
<ul>${places.map(({ path, what }) => `<li><a href="${path}"><code>${path}</code></a>: ${what}</li>`).join("")}</ul>
<p>${documentation}</p>
</body>
</html>
`;
