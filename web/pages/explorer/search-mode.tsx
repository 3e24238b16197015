import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { backendsQuery } from "../backends/backend-queries.ts";
import { SelectField, TextField } from "../../components/field.tsx";
import { isOperator, useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";
import { RunForm } from "./run-form.tsx";
import { useCall } from "./use-call.ts";

const text = words.explorer;

interface SearchAnswer {
  readonly answer: string | null;
  readonly results: readonly {
    readonly title: string;
    readonly url: string;
    readonly snippet: string;
    readonly source: string;
  }[];
}

export function SearchMode({ apiKey }: { readonly apiKey: string }) {
  const user = useUser();
  const backends = useQuery({ ...backendsQuery, enabled: isOperator(user) });
  const [query, setQuery] = useState("");
  const [backend, setBackend] = useState("auto");
  const call = useCall((response) => response.json() as Promise<SearchAnswer>);
  const [maxResults, setMaxResults] = useState("8");
  const run = () => {
    const body = { query, backend, max_results: Number(maxResults) };
    void call.run({ path: "/v1/search", key: apiKey, body });
  };
  return (
    <RunForm
      hasKey={apiKey !== ""}
      canRun={query.trim() !== ""}
      call={call}
      onRun={run}
      result={<Results answer={call.result} />}
    >
      <TextField label={text.query} required value={query} onChange={(event) => setQuery(event.target.value)} />
      <SelectField label={text.backend} value={backend} onChange={(event) => setBackend(event.target.value)}>
        <option value="auto">{text.automatic}</option>
        {backends.data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name ?? id}
          </option>
        ))}
      </SelectField>
      <SelectField label={text.count} value={maxResults} onChange={(event) => setMaxResults(event.target.value)}>
        {["4", "8", "16"].map((count) => (
          <option key={count}>{count}</option>
        ))}
      </SelectField>
    </RunForm>
  );
}

function Results({ answer }: { readonly answer: SearchAnswer | null }) {
  if (answer === null) return null;
  if (answer.results.length === 0) return <p className="text-sm text-dim">{text.noResults}</p>;
  return (
    <ol className="flex max-w-2xl flex-col gap-4">
      {answer.results.map(({ title, url, snippet, source }, index) => (
        <li key={index}>
          <p className="text-xs text-faint">{source}</p>
          <p className="font-medium wrap-anywhere">
            {isWebAddress(url) ? (
              <a href={url} target="_blank" rel="noreferrer noopener" className="text-accent hover:underline">
                {title}
              </a>
            ) : (
              title
            )}
          </p>
          <p className="text-sm wrap-anywhere text-dim">{snippet}</p>
        </li>
      ))}
    </ol>
  );
}

/** A result may have any text for an address: only these are followed. */
function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
