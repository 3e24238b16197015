import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { SearchBackend } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { BackendDialog } from "./backend-dialog.tsx";
import { backendsQuery } from "./backend-queries.ts";
import { BackendRow } from "./backend-row.tsx";
import { StoredBackends } from "./stored-backends.tsx";

const text = words.backends;

/** The search backends: add, order, price, test. */
export function BackendsPage() {
  const query = useQuery(backendsQuery);
  const queries = useQueryClient();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [edited, setEdited] = useState<SearchBackend | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<SearchBackend | null>(null);
  const [error, setError] = useState<unknown>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: ["search-backends"] });
  const close = () => {
    setEdited(null);
    setAdding(false);
    if (search["new"] !== undefined) {
      void navigate({ to: "/search-backends", search: ({ range }) => ({ range }), replace: true });
    }
  };
  const toggle = async ({ id, enabled }: SearchBackend) => {
    setError(null);
    const params = { path: { id } };
    await api
      .PATCH("/api/admin/search-backends/{id}", { params, body: { enabled: enabled === false } })
      .catch(setError);
    await refresh();
  };
  const actions = { edit: setEdited, remove: setRemoved, toggle: (backend: SearchBackend) => void toggle(backend) };
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" className="size-3.5" />
      {text.add}
    </Button>
  );
  return (
    <Page title={text.title} description={text.description} actions={add}>
      {error !== null && <ErrorNote error={error} className="m-4" />}
      <Loaded query={query}>
        {(all) => {
          const stored = all.filter(({ source }) => source === "storage");
          const configured = all.filter(({ source }) => source === "config");
          if (all.length === 0) {
            return (
              <Empty icon="search" title={text.emptyTitle} action={add}>
                {text.emptyMore}
              </Empty>
            );
          }
          return (
            <>
              {stored.length > 0 && (
                <Section title={text.stored}>
                  <StoredBackends backends={stored} actions={actions} onError={setError} />
                </Section>
              )}
              {configured.length > 0 && (
                <Section title={text.fromConfig}>
                  <ul>
                    {configured.map((backend) => (
                      <BackendRow key={backend.id} backend={backend} actions={actions} order={null} />
                    ))}
                  </ul>
                </Section>
              )}
            </>
          );
        }}
      </Loaded>
      {(edited !== null || isAdding || search["new"] === "1") && <BackendDialog backend={edited} onClose={close} />}
      {removed && (
        <Confirm
          open
          onClose={() => setRemoved(null)}
          title={text.removeTitle(removed.name ?? removed.id)}
          action={words.common.delete}
          act={async () => {
            const params = { path: { id: removed.id } };
            await answerOf(api.DELETE("/api/admin/search-backends/{id}", { params }));
            await refresh();
            notify(text.removed(removed.name ?? removed.id));
          }}
        >
          {text.removeMore}
        </Confirm>
      )}
    </Page>
  );
}
