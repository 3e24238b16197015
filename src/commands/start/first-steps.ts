import { reachable } from "./reachable.ts";
import type { Config } from "../../config/config.ts";

/** A gateway that has just started. */
export interface Started {
  /** The address on which it listens. */
  readonly url: string;
  readonly config: Config;
  /** The first key, if it was created now; null if the storage had keys. */
  readonly firstKey: string | null;
}

/** The first command stores the response headers here, so that the second can read the request id. */
const headersFile = "/tmp/tollgate-headers";

/**
 * The next steps as plain text with commands to paste, for a first start and if only the sandbox is served. Otherwise
 * null.
 */
export function firstSteps({ url, config, firstKey }: Started): string | null {
  if (firstKey === null && config.source !== null) return null;
  const base = reachable(url);
  const key = firstKey ?? "$TOLLGATE_API_KEY";
  const model = exampleModel(config);
  const sections = [
    `Tollgate is listening on ${base}`,
    config.source === null
      ? "Without a configuration file, it serves the built-in sandbox: scripted models that need no account.\n" +
        "To serve real providers, create a tollgate.yaml (see tollgate.example.yaml) and start again."
      : null,
    firstKey === null
      ? "Set TOLLGATE_API_KEY to an existing key, or create one: tollgate keys create --name NAME"
      : `The first API key, which is not shown again (ID ${firstKey.split("-")[2] ?? ""}, name "first"):\n\n  ${firstKey}`,
    model === null ? "No model is configured yet." : `Send a streaming request:\n\n${chatCommand(base, key, model)}`,
    model === null ? null : `Then read its usage and cost:\n\n${recordCommand(base, key)}`,
    config.search.backends.some(({ settings }) => settings.isEnabled) ? `Search:\n\n${searchCommand(base, key)}` : null,
  ];
  return `\n${sections.filter((section) => section !== null).join("\n\n")}\n`;
}

/** The name of a model to try: one that is whole, if there is one. Null if there is none at all. */
function exampleModel({ models }: Config): string | null {
  const names = models.filter(({ endpoints }) => endpoints.includes("chat")).map(({ id }) => id);
  return names.find((name) => !name.includes("*")) ?? names[0]?.replace("*", "MODEL") ?? null;
}

function chatCommand(base: string, key: string, model: string): string {
  // The body is in single quotes for the shell, so single quotes in it are escaped.
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `  curl -sN ${base}/v1/chat/completions -D ${headersFile} \\`,
    `    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join("\n");
}

function searchCommand(base: string, key: string): string {
  return [
    `  curl -s ${base}/v1/search \\`,
    `    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '${JSON.stringify({ query: "brewing coffee", max_results: 3 })}'`,
  ].join("\n");
}

function recordCommand(base: string, key: string): string {
  const id = `$(tr -d '\\r' < ${headersFile} | awk 'tolower($1)=="x-service-request-id:" {print $2}')`;
  return `  curl -s "${base}/api/usage/requests/${id}" -H "Authorization: Bearer ${key}"`;
}
