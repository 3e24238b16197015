import { Link } from "@tanstack/react-router";
import { Empty } from "../../components/empty.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { isOperator, useUser } from "../../session/session.ts";
import { words } from "../../words/en.ts";

const text = words.overview;

/** The first page of a gateway that was not asked anything yet. */
export function Welcome() {
  const user = useUser();
  const steps = (
    <ol className="flex flex-col gap-2 text-left">
      {isOperator(user) && (
        <Step to="/keys" search={{ new: "1" }} icon="keys" title={text.steps.key} more={text.steps.keyMore} />
      )}
      <Step to="/explorer" search={{}} icon="explorer" title={text.steps.try} more={text.steps.tryMore} />
    </ol>
  );
  return (
    <Empty icon="overview" title={text.emptyTitle} action={steps}>
      {text.emptyMore}
    </Empty>
  );
}

interface StepProps {
  readonly to: "/keys" | "/explorer";
  readonly search: Readonly<Record<string, string>>;
  readonly icon: IconName;
  readonly title: string;
  readonly more: string;
}

function Step({ to, search, icon, title, more }: StepProps) {
  return (
    <li>
      <Link
        to={to}
        search={search}
        className="flex items-center gap-3 rounded-lg border border-line bg-surface p-3 hover:bg-hover"
      >
        <Icon name={icon} className="size-5 text-accent" />
        <span className="min-w-0 flex-1">
          <span className="block text-sm font-medium">{title}</span>
          <span className="block text-xs text-dim">{more}</span>
        </span>
        <Icon name="next" className="text-faint" />
      </Link>
    </li>
  );
}
