import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNote } from "./error-note.tsx";
import { Skeleton } from "./skeleton.tsx";

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}

/** What a query has found; until then bars, or the error with a way to try again. */
export function Loaded<Data>({ query, rows = 6, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNote error={query.error} retry={() => void query.refetch()} className="m-4" />;
  return <Skeleton rows={rows} />;
}
