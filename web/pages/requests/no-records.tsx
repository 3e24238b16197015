import { Link } from "@tanstack/react-router";
import { Button, buttonClass } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { words } from "../../words/en.ts";

const text = words.requests;

export function NoRecords({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty icon="filter" title={text.emptyTitle} action={<Button onClick={onClear}>{text.clearFilters}</Button>}>
        {text.emptyFiltered}
      </Empty>
    );
  }
  const explore = (
    <Link to="/explorer" className={buttonClass("primary")}>
      {text.tryExplorer}
    </Link>
  );
  return (
    <Empty icon="requests" title={text.emptyTitle} action={explore}>
      {text.emptyMore}
    </Empty>
  );
}
