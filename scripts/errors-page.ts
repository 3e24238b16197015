/**
 * Writes `docs/errors.md` from the catalogue of errors. Run it after changing the catalogue; a test holds the page against
 * the code.
 */
import { errorCatalogue, errorFacts, type ErrorName } from "../src/error-catalogue.ts";
import { markdownTable } from "./markdown-table.ts";

export const errorsFile = new URL("../docs/errors.md", import.meta.url);

// `Object.keys` forgets which names an object has.
export const errorNames = Object.keys(errorCatalogue) as ErrorName[];

const introduction = `# Errors

Every error has this form on OpenAI-shaped and service paths:

\`\`\`json
{
  "error": {
    "type": "invalid_request_error",
    "message": "Missing required parameter: 'messages'.",
    "code": "missing_parameter",
    "param": "messages",
    "request_id": "req_01jexample"
  }
}
\`\`\`

Programs should decide by \`type\` and \`code\`; messages are for people and may change. \`param\` is the path of the caller's field
at fault, or null. \`request_id\` is also in the header \`X-Service-Request-Id\`.

- \`/v1/messages\` answers in Anthropic's form, \`/v1beta\` in Google's, each with the vendor's own words for the type. A stream
  that has begun ends with an error event in its dialect's form.
- \`Retry-After\` is sent with every 429 and 503, and with a 409 that is worth repeating, in whole seconds.
- \`X-Should-Retry: false\` is sent with any other 409, with statuses that stay the same however often a request is repeated
  (400, 401, 403, 404, 413, 415, 422), and with 502 and 504 if the gateway has made more than one attempt: an SDK that
  repeats the request would multiply its attempts.
- No message contains a credential, a provider's address or a stack trace.

In a message, \`{}\` stands for a name or a value. Some codes have further messages for particular cases.

The page is written by \`scripts/errors-page.ts\` from \`src/error-catalogue.ts\`.
`;

/** The whole page. */
export function errorsPage(): string {
  const rows = errorNames.map((name) => {
    const { status, type, code } = errorFacts(name);
    const { message, when } = errorCatalogue[name];
    return [String(status), `\`${type}\``, code === null ? "the provider's" : `\`${code}\``, when, message];
  });
  const byStatus = rows.toSorted(([a = ""], [b = ""]) => a.localeCompare(b));
  return `${introduction}\n${markdownTable(["status", "type", "code", "when", "message"], byStatus)}`;
}

if (import.meta.main) await Bun.write(errorsFile, errorsPage());
