import { words } from "../../words/en.ts";
import { type ApiDocument, resolve, type Schema, typeOf } from "./open-api.ts";

interface SchemaViewProps {
  readonly schema: Schema;
  readonly document: ApiDocument;
  /** How deep it is within others: what refers to itself ends somewhere. */
  readonly depth?: number;
}

const maxDepth = 4;

/** The fields of a schema. Those of objects within unfold. */
export function SchemaView({ schema, document, depth = 0 }: SchemaViewProps) {
  const shown = resolve(schema, document).schema;
  const fields = Object.entries(shown.properties ?? {});
  if (fields.length === 0) return <p className="font-mono text-xs text-dim">{typeOf(schema, document)}</p>;
  return (
    <ul className="flex flex-col text-xs">
      {fields.map(([name, field]) => {
        const isRequired = shown.required?.includes(name) === true;
        const within = insideOf(field, document);
        return (
          <li key={name} className="border-b border-line py-1 last:border-b-0">
            <span className="font-mono font-medium">{name}</span>{" "}
            <span className="font-mono wrap-anywhere text-dim">{typeOf(field, document)}</span>{" "}
            {isRequired && <span className="text-warn">{words.api.required}</span>}
            {field.description !== undefined && <p className="text-faint">{field.description}</p>}
            {within && depth < maxDepth && (
              <details className="mt-1 pl-3">
                <summary className="cursor-pointer text-dim">{words.api.fields}</summary>
                <SchemaView schema={within} document={document} depth={depth + 1} />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The object that a field is, or has several of; null if it is a plain value. */
function insideOf(field: Schema, document: ApiDocument): Schema | null {
  const { schema } = resolve(field, document);
  if (schema.properties) return schema;
  if (schema.items) return insideOf(schema.items, document);
  for (const choice of schema.anyOf ?? schema.oneOf ?? []) {
    const found = insideOf(choice, document);
    if (found) return found;
  }
  return null;
}
