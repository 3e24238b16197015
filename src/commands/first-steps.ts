import type { Config } from "../config/config.ts";

/** What is known of a gateway that has just started. */
export interface Started {
  /** Where it listens. */
  readonly url: string;
  readonly config: Config;
  /** The first key, made just now; null where the storage has keys already. */
  readonly firstKey: string | null;
}

/** Where the first command keeps the answer's headers, for the second to find the request's id in. */
const headersFile = "/tmp/tollgate-headers";

/**
 * What to do next, as plain text ready to paste: at a first start, and whenever only the sandbox is served. Null where
 * the operator needs no telling.
 */
export function firstSteps({ url, config, firstKey }: Started): string | null {
  if (firstKey === null && config.source !== null) return null;
  const base = reachable(url);
  const key = firstKey ?? "$TOLLGATE_API_KEY";
  const model = config.models.find(({ endpoints }) => endpoints.includes("chat"))?.id ?? null;
  const sections = [
    `Tollgate is listening on ${base}`,
    config.source === null
      ? "There is no configuration file, so it serves the built-in sandbox: scripted models that need no account.\n" +
        "To serve real providers, write a tollgate.yaml (see tollgate.example.yaml) and start again."
      : null,
    firstKey === null
      ? "Set TOLLGATE_API_KEY to a key you have, or make one: tollgate keys create --name NAME"
      : `The first API key, shown only now (ID ${firstKey.split("-")[2] ?? ""}, name "first"):\n\n  ${firstKey}`,
    model === null ? "No model is configured yet." : `Ask for a streamed answer:\n\n${chatCommand(base, key, model)}`,
    model === null ? null : `Then read its usage and what it cost:\n\n${recordCommand(base, key)}`,
  ];
  return `\n${sections.filter((section) => section !== null).join("\n\n")}\n`;
}

function chatCommand(base: string, key: string, model: string): string {
  // In single quotes for the shell: a quote in a model's name ends them, stands escaped, and begins them again.
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `  curl -sN ${base}/v1/chat/completions -D ${headersFile} \\`,
    `    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join("\n");
}

function recordCommand(base: string, key: string): string {
  const id = `$(tr -d '\\r' < ${headersFile} | awk 'tolower($1)=="x-service-request-id:" {print $2}')`;
  return `  curl -s "${base}/api/usage/requests/${id}" -H "Authorization: Bearer ${key}"`;
}

/** An address that a client on this machine can use, also where the gateway listens on all of them. */
function reachable(url: string): string {
  return url.replace(/\/$/, "").replace("://0.0.0.0", "://127.0.0.1").replace("://[::]", "://[::1]");
}
