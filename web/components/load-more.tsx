import { words } from "../words/en.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";

interface LoadMoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** A button for the next page of a list, if there is one. */
export function LoadMore({ query }: LoadMoreProps) {
  if (query.isFetchNextPageError) {
    return <ErrorNote error={query.error} retry={() => void query.fetchNextPage()} className="m-4" />;
  }
  if (!query.hasNextPage) return null;
  return (
    <div className="p-4 text-center">
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {words.common.loadMore}
      </Button>
    </div>
  );
}
