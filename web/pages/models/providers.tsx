import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { Provider } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { catalogKeys, providersQuery } from "./catalog-queries.ts";
import { ProviderDialog } from "./provider-dialog.tsx";
import { ProviderRow } from "./provider-row.tsx";

const text = words.models;

/** The providers of the configuration and of the storage: look, test, add, change, remove. */
export function Providers() {
  const query = useQuery(providersQuery);
  const queries = useQueryClient();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Provider | "new" | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const refresh = () => Promise.all(catalogKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  const close = () => {
    setEdited(null);
    if (search["new"] !== undefined) {
      void navigate({ to: "/models", search: ({ range }) => ({ range }), replace: true });
    }
  };
  const add = (
    <Button small onClick={() => setEdited("new")}>
      <Icon name="plus" className="size-3.5" />
      {text.addProvider}
    </Button>
  );
  return (
    <Section title={text.providers} actions={add}>
      <Loaded query={query} rows={2}>
        {(providers) =>
          providers.length === 0 ? (
            <Empty icon="models" title={text.noProvidersTitle} action={add}>
              {text.noProviders}
            </Empty>
          ) : (
            <ul>
              {providers.map((provider) => (
                <ProviderRow
                  key={`${provider.source} ${provider.id}`}
                  provider={provider}
                  onEdit={() => setEdited(provider)}
                  onRemove={() => setRemoved(provider.id)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {(edited !== null || search["new"] === "1") && (
        <ProviderDialog
          provider={edited === "new" ? null : edited}
          onClose={close}
          onSaved={async (id) => {
            await refresh();
            notify(text.saved(id));
          }}
        />
      )}
      {removed !== null && (
        <Confirm
          open
          onClose={() => setRemoved(null)}
          title={text.removeTitle(removed)}
          action={words.common.delete}
          act={async () => {
            await answerOf(api.DELETE("/api/admin/providers/{id}", { params: { path: { id: removed } } }));
            await refresh();
            notify(text.removed(removed));
          }}
        >
          {text.removeProviderMore}
        </Confirm>
      )}
    </Section>
  );
}
