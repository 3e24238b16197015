import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Badge, type Tone } from "../../components/badge.tsx";
import { buttonClass } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { words } from "../../words/en.ts";
import { type ApiDocument, type ApiPath, documentQuery, pathsOf, typeOf } from "./open-api.ts";
import { SchemaView } from "./schema-view.tsx";

const text = words.api;

const tones: Readonly<Record<string, Tone>> = {
  GET: "good",
  POST: "accent",
  PUT: "warn",
  PATCH: "warn",
  DELETE: "bad",
};

/** The paths of the gateway, as its OpenAPI document describes them. */
export function ApiPage() {
  const query = useQuery(documentQuery);
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const actions = (
    <>
      <input
        type="search"
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        className="field w-56"
      />
      <a href="/api/openapi.json" className={buttonClass()}>
        {text.document}
      </a>
    </>
  );
  return (
    <Page title={text.title} description={text.description} actions={actions}>
      <Loaded query={query} rows={12}>
        {(document) => {
          const found = pathsOf(document).filter(({ path, operation }) =>
            `${path} ${operation.summary} ${operation.tags.join(" ")}`.toLowerCase().includes(wanted),
          );
          if (found.length === 0) return <p className="p-6 text-sm text-dim">{text.nothing}</p>;
          return (
            <ul>
              {found.map((path) => (
                <li key={`${path.method} ${path.path}`} className="border-b border-line">
                  <PathView path={path} document={document} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface PathViewProps {
  readonly path: ApiPath;
  readonly document: ApiDocument;
}

function PathView({ path: { method, path, operation, parameters }, document }: PathViewProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 hover:bg-hover sm:px-6">
        <span className="w-14">
          <Badge tone={tones[method] ?? "plain"}>{method}</Badge>
        </span>
        <code className="font-mono text-sm wrap-anywhere">{path}</code>
        <span className="min-w-48 flex-1 text-sm text-dim">{operation.summary}</span>
      </summary>
      {isOpen && (
        <div className="grid gap-5 px-4 pt-1 pb-5 sm:px-6 lg:grid-cols-2">
          {operation.security.length === 0 && <p className="text-xs text-dim lg:col-span-2">{text.anyone}</p>}
          {parameters.length > 0 && (
            <Part title={text.parameters}>
              <ul className="text-xs">
                {parameters.map((parameter) => (
                  <li key={parameter.name} className="border-b border-line py-1 last:border-b-0">
                    <span className="font-mono font-medium">{parameter.name}</span>{" "}
                    <span className="font-mono text-dim">{typeOf(parameter.schema, document)}</span>{" "}
                    <span className="text-faint">{parameter.in === "path" ? text.inPath : text.inQuery}</span>
                    {(parameter.description ?? parameter.schema.description) !== undefined && (
                      <p className="text-faint">{parameter.description ?? parameter.schema.description}</p>
                    )}
                  </li>
                ))}
              </ul>
            </Part>
          )}
          {Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => (
            <Part key={type} title={`${text.body}: ${type}`}>
              <SchemaView schema={schema} document={document} />
            </Part>
          ))}
          {Object.entries(operation.responses).flatMap(([status, { content }]) =>
            Object.entries(content ?? {}).map(([type, { schema }]) => (
              <Part key={`${status} ${type}`} title={`${text.answer} ${status}: ${type}`}>
                <SchemaView schema={schema} document={document} />
              </Part>
            )),
          )}
        </div>
      )}
    </details>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-xs font-semibold text-dim">{title}</h3>
      {children}
    </section>
  );
}
