/**
 * Writes `docs/support-matrix.md`: what happens to each field of a request at each provider dialect, from the tables that
 * the gateway itself goes by. Run it after changing one of them; a test holds the page against the code.
 */
import { requestFields, type FieldName } from "../src/conversation/fields.ts";
import type { Support, SupportColumn } from "../src/conversation/support.ts";
import { codecs } from "../src/dialects/codecs.ts";
import type { DialectName } from "../src/dialects/exchange.ts";
import { messagesQuirks } from "../src/dialects/anthropic-messages/quirks.ts";
import { messagesSupport } from "../src/dialects/anthropic-messages/support.ts";
import { geminiQuirks } from "../src/dialects/gemini/quirks.ts";
import { geminiSupport } from "../src/dialects/gemini/support.ts";
import { chatQuirks } from "../src/dialects/openai-chat/conversation/quirks.ts";
import { chatSupport } from "../src/dialects/openai-chat/conversation/support.ts";
import { responsesQuirks } from "../src/dialects/openai-responses/quirks.ts";
import { responsesSupport } from "../src/dialects/openai-responses/support.ts";

export const matrixFile = new URL("../docs/support-matrix.md", import.meta.url);

interface Quirk {
  readonly models: RegExp;
  readonly changes?: Partial<SupportColumn>;
}

const tables: Readonly<Record<DialectName, { readonly column: SupportColumn; readonly quirks: readonly Quirk[] }>> = {
  "openai-chat": { column: chatSupport, quirks: chatQuirks },
  "openai-responses": { column: responsesSupport, quirks: responsesQuirks },
  "anthropic-messages": { column: messagesSupport, quirks: messagesQuirks },
  gemini: { column: geminiSupport, quirks: geminiQuirks },
};

// `Object.keys` forgets which names an object has.
const dialects = Object.keys(codecs) as DialectName[];
const fields = Object.keys(requestFields) as FieldName[];

const introduction = `# What becomes of each field

A request whose caller and provider speak the same dialect passes through, and every field with it. Where they differ, the
request is translated, and this is what happens to each of its fields at a provider of each dialect:

- **yes**: the provider has the same.
- **by ...**: the provider has something else that does the same.
- **warned**: left out; \`X-Service-Warnings\` names the field.
- **refused**: 400, naming the field, since the answer would not be what was asked for.

Tools that another vendor runs, such as a web search, are left out with a warning where the caller's own functions remain
and the tool choice does not ask for one; a model with \`hosted_tools: refuse\` refuses them always.

The page is written by \`scripts/support-matrix.ts\` from the tables that the gateway goes by.
`;

/** The whole page. */
export function supportMatrix(): string {
  const rows = fields.map((field) => [
    `\`${field}\``,
    requestFields[field],
    ...dialects.map((dialect) => describe(tables[dialect].column[field])),
  ]);
  const sections = [
    introduction,
    table(["field", "what it is", ...dialects], rows),
    `## Why some are refused\n`,
    table(["field", ...dialects], rowsOfReasons()),
    ...dialects.flatMap(quirkSection),
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
    .map((field) => [`\`${field}\``, ...dialects.map((dialect) => reason(tables[dialect].column[field]))])
    .filter(([, ...reasons]) => reasons.some((text) => text !== ""));
}

/** Models of a dialect that differ from its column. */
function quirkSection(dialect: DialectName): string[] {
  const rows = tables[dialect].quirks.flatMap(({ models, changes = {} }) =>
    fields.flatMap((field) => {
      const change = changes[field];
      if (change === undefined) return [];
      const why = change.status === "refused" ? `refused: ${change.why}` : describe(change);
      return [[`\`${models.source.replaceAll("|", "\\|")}\``, `\`${field}\``, why]];
    }),
  );
  if (rows.length === 0) return [];
  return [
    `## Models that differ at ${dialect}\n`,
    "By the provider's own name of the model; of several patterns that match, the last one counts.\n",
    table(["models", "field", "what becomes of it"], rows),
  ];
}

/** A table whose columns stand in line, as the formatter of this repository writes them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line), ""].join("\n");
}

if (import.meta.main) await Bun.write(matrixFile, supportMatrix());
