import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Page } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { auditsQuery } from "./audit-queries.ts";
import { AuditTable } from "./audit-table.tsx";
import { AuditView } from "./audit-view.tsx";
import { RunningAudit } from "./running-audit.tsx";

const text = words.audit;

/** Runs an audit, watches it, and shows what it and earlier ones found. */
export function AuditPage() {
  const queries = useQueryClient();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useInfiniteQuery(auditsQuery);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const openId = search["id"] ?? null;
  const newest = query.data?.pages[0]?.data[0];
  const running = newest?.status === "running" ? newest : null;

  const open = (id: string | undefined) => {
    void navigate({ to: "/audit", search: ({ range }) => ({ range, id }), replace: true });
  };
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (caught) {
      setError(caught);
    } finally {
      await queries.invalidateQueries({ queryKey: ["audits"] });
      setBusy(false);
    }
  };
  const start = () => act(() => answerOf(api.POST("/api/admin/audit")));
  const cancel = (id: string) =>
    act(async () => {
      await answerOf(api.POST("/api/admin/audits/{id}/cancel", { params: { path: { id } } }));
      notify(text.cancelled);
    });
  const run = (
    <Button
      look="primary"
      busy={isBusy && running === null}
      disabled={running !== null || query.data === undefined}
      onClick={() => void start()}
    >
      {text.run}
    </Button>
  );
  return (
    <Page
      title={text.title}
      description={text.description}
      actions={run}
      className={openId === null ? "" : "lg:pr-[34rem]"}
    >
      {error !== null && <ErrorNote error={error} className="mx-4 mt-4 sm:mx-6" />}
      {running && (
        <RunningAudit
          audit={running}
          isBusy={isBusy}
          onOpen={() => open(running.id)}
          onCancel={() => void cancel(running.id)}
        />
      )}
      <Loaded query={query}>
        {({ pages }) => {
          const ended = pages.flatMap(({ data }) => data).filter(({ status }) => status !== "running");
          if (ended.length === 0 && running === null) {
            return (
              <Empty icon="audit" title={text.emptyTitle} action={run}>
                {text.emptyMore}
              </Empty>
            );
          }
          return (
            <>
              <AuditTable audits={ended} onOpen={open} />
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
      <Sheet open={openId !== null} onClose={() => open(undefined)} title={text.detail}>
        {openId !== null && <AuditView key={openId} id={openId} />}
      </Sheet>
    </Page>
  );
}
