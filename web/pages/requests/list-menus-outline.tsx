import { buttonClass } from "../../components/button.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { words } from "../../words/en.ts";

const text = words.requests;

/** What stands on a button of the list; on a small screen its icon alone. */
export function ListMenuWords({ icon, children }: { readonly icon: IconName; readonly children: string }) {
  return (
    <>
      <Icon name={icon} className="size-3.5" />
      <span className="max-sm:sr-only">{children}</span>
    </>
  );
}

/** The menus of the list until they are loaded. */
export function ListMenusOutline() {
  const look = buttonClass("plain", true);
  return (
    <>
      <span className={look}>{text.views}</span>
      <span className={look}>
        <ListMenuWords icon="columns">{text.columns}</ListMenuWords>
      </span>
      <span className={look}>
        <ListMenuWords icon="download">{text.export}</ListMenuWords>
      </span>
    </>
  );
}
