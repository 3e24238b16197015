/**
 * Writes `docs/support-matrix.md`: what happens to each field of a request at each provider dialect, from the tables that
 * the gateway itself goes by. Run it after changing one of them; a test holds the page against the code.
 */
import { requestFields, type FieldName } from "../src/conversation/fields/fields.ts";
import type { Support } from "../src/conversation/fields/support.ts";
import type { DialectCodec } from "../src/dialects/codec.ts";
import { dialects } from "../src/dialects/registry.ts";
import { markdownTable } from "./markdown-table.ts";

export const matrixFile = new URL("../docs/support-matrix.md", import.meta.url);

/** Of the dialects whose providers hold conversations. */
const codecs = dialects.all.flatMap(({ provides }) => provides.conversation ?? []);
const names = codecs.map(({ name }) => name);
// `Object.keys` forgets which names an object has.
const fields = Object.keys(requestFields) as FieldName[];

const introduction = `# What becomes of each field

A request whose caller and provider speak the same dialect passes through, and every field with it. If they differ, the
request is translated, and this is what happens to each of its fields at a provider of each dialect:

- **yes**: the provider has the same.
- **by ...**: the provider has something else that does the same.
- **warned**: left out; \`X-Service-Warnings\` names the field.
- **refused**: 400, naming the field, since the answer would not be what was asked for.

Tools that another vendor runs, such as a web search, are left out with a warning where the caller's own functions remain
and the tool choice does not ask for one; a model with \`hosted_tools: refuse\` refuses them always. A
model with \`web_search\` has its web search run by [the gateway](search.md#search-inside-a-conversation), for callers of every
dialect.

The page is written by \`scripts/support-matrix.ts\` from the tables that the gateway goes by.
`;

/** The whole page. */
export function supportMatrix(): string {
  const rows = fields.map((field) => [
    `\`${field}\``,
    requestFields[field],
    ...codecs.map(({ provider }) => describe(provider.supportTable.column[field])),
  ]);
  const sections = [
    introduction,
    markdownTable(["field", "what it is", ...names], rows),
    `## Why some are refused\n`,
    markdownTable(["field", ...names], rowsOfReasons()),
    ...codecs.flatMap(quirkSection),
  ];
  return sections.join("\n");
}

function describe(support: Support): string {
  switch (support.status) {
    case "carried":
      return "yes";
    case "emulated":
      return `by ${support.how}`;
    case "ignored":
      return "warned";
    case "refused":
      return "refused";
  }
}

function rowsOfReasons(): string[][] {
  const reason = (support: Support) => (support.status === "refused" ? support.why : "");
  return fields
    .map((field) => [`\`${field}\``, ...codecs.map(({ provider }) => reason(provider.supportTable.column[field]))])
    .filter(([, ...reasons]) => reasons.some((text) => text !== ""));
}

/** Models of a dialect that differ from its column. */
function quirkSection({ name, provider }: DialectCodec): string[] {
  const rows = provider.supportTable.quirks.flatMap(({ models, changes = {} }) =>
    fields.flatMap((field) => {
      const change = changes[field];
      if (change === undefined) return [];
      const why = change.status === "refused" ? `refused: ${change.why}` : describe(change);
      return [[`\`${models.source.replaceAll("|", "\\|")}\``, `\`${field}\``, why]];
    }),
  );
  if (rows.length === 0) return [];
  return [
    `## Models that differ at ${name}\n`,
    "By the provider's own name of the model; of several patterns that match, the last one counts.\n",
    markdownTable(["models", "field", "what becomes of it"], rows),
  ];
}

if (import.meta.main) await Bun.write(matrixFile, supportMatrix());
