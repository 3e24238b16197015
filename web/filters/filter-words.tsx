import { Icon } from "../components/icon.tsx";
import { words } from "../words/en.ts";

/** What stands on the button that opens the filters. */
export function FilterWords() {
  return (
    <>
      <Icon name="filter" className="size-3.5" />
      {words.requests.addFilter}
    </>
  );
}
