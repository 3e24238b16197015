import type { Audit } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Ago } from "../../components/values.tsx";
import { share } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { starterOf } from "./audit-result.tsx";

const text = words.audit;

interface RunningAuditProps {
  readonly audit: Audit;
  readonly isBusy: boolean;
  readonly onOpen: () => void;
  readonly onCancel: () => void;
}

/** How far the running audit is, and what it has found. */
export function RunningAudit({ audit, isBusy, onOpen, onCancel }: RunningAuditProps) {
  const { progress, findings } = audit;
  return (
    <section aria-label={text.running} className="border-b border-line bg-surface px-4 py-3 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1">
          <h2 className="text-sm font-semibold">{text.running}</h2>
          <p className="text-xs text-dim">
            {starterOf(audit)}, <Ago at={audit.started_at} />. {text.runningMore}
          </p>
        </div>
        {findings > 0 && <Badge tone="bad">{text.findings(findings)}</Badge>}
        <Button small onClick={onOpen}>
          {text.open}
        </Button>
        <Button small look="danger" busy={isBusy} onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
      <div className="mt-2.5 flex items-center gap-3">
        <div
          role="progressbar"
          aria-label={text.progress}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(100 * progress)}
          className="h-1.5 flex-1 overflow-hidden rounded-sm bg-hover"
        >
          <div
            className="h-full bg-accent transition-[width] duration-300 motion-reduce:transition-none"
            style={{ width: `${100 * progress}%` }}
          />
        </div>
        <span className="numeric w-28 text-right text-xs text-dim">
          {progress === 0 ? text.dividing : share(progress)}
        </span>
      </div>
    </section>
  );
}
