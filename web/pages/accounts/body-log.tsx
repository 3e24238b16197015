import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { BodyLog as Settings } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { notify } from "../../components/toast.tsx";
import { bytes } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { BodyLogDialog } from "./body-log-dialog.tsx";

const text = words.bodies;

/** Whether the bodies of an account's requests are kept. */
export function BodyLog({ accountId }: { readonly accountId: string }) {
  const queries = useQueryClient();
  const [open, setOpen] = useState<"change" | "delete" | null>(null);
  const params = { path: { id: accountId } };
  const query = useQuery({
    queryKey: ["log-bodies", accountId],
    queryFn: () => answerOf(api.GET("/api/admin/accounts/{id}/log-bodies", { params })),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ["log-bodies", accountId] });
  const remove = async () => {
    await answerOf(api.DELETE("/api/admin/accounts/{id}/bodies", { params }));
    await refresh();
    notify(text.deleted);
  };
  return (
    <section aria-label={text.settings} className="border-b border-line p-4">
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-xs font-semibold text-dim">{text.settings}</h3>
        {query.data && query.data.kept.requests > 0 && (
          <Button small look="danger" onClick={() => setOpen("delete")}>
            {text.deleteAll}
          </Button>
        )}
        <Button small disabled={query.data === undefined} onClick={() => setOpen("change")}>
          {text.change}
        </Button>
      </div>
      <Loaded query={query} rows={1}>
        {(settings) => (
          <>
            <Summary settings={settings} />
            {open === "change" && (
              <BodyLogDialog settings={settings} onClose={() => setOpen(null)} onSaved={() => void refresh()} />
            )}
          </>
        )}
      </Loaded>
      <Confirm
        open={open === "delete"}
        onClose={() => setOpen(null)}
        title={text.deleteTitle}
        action={text.deleteAll}
        act={remove}
      >
        {text.deleteMore}
      </Confirm>
    </section>
  );
}

function Summary({ settings }: { readonly settings: Settings }) {
  const { enabled, redact, retention, kept } = settings;
  const rules = [...redact.patterns.map((name) => text.patternNames[name]), ...redact.fields, ...redact.paths];
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <p className={enabled ? "" : "text-dim"}>{enabled ? text.settingsOn(retention) : text.settingsOff}</p>
      {enabled && (
        <p className="flex flex-wrap gap-1">
          {rules.map((rule) => (
            <Badge key={rule}>{rule}</Badge>
          ))}
        </p>
      )}
      {kept.requests > 0 && <p className="text-xs text-faint">{text.kept(kept.requests, bytes(kept.bytes))}</p>}
    </div>
  );
}
