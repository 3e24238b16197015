import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { catalogQuery } from "../../api/catalog.ts";
import { answerOf, api } from "../../api/client.ts";
import type { CatalogModel, ModelDefinition } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { catalogKeys, providersQuery } from "./catalog-queries.ts";
import { healthQuery } from "./health-query.ts";
import { ModelDialog } from "./model-dialog.tsx";
import { ModelSheet } from "./model-sheet.tsx";
import { ModelTable } from "./model-table.tsx";
import { Providers } from "./providers.tsx";
import { Routes } from "./routes.tsx";
import { TargetTable } from "./target-table.tsx";

const text = words.models;

/** The providers, the models and routes that they serve, and the health of the targets behind both. */
export function ModelsPage() {
  const catalog = useQuery(catalogQuery);
  const health = useQuery(healthQuery);
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<CatalogModel | null>(null);
  const [edited, setEdited] = useState<ModelDefinition | "new" | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const queries = useQueryClient();
  const providers = useQuery(providersQuery);
  const refresh = () => Promise.all(catalogKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  const wanted = filter.trim().toLowerCase();
  const search = (
    <>
      <input
        type="search"
        aria-label={text.filter}
        placeholder={text.filter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        className="field w-40 sm:w-56"
      />
      <Button small disabled={(providers.data ?? []).length === 0} onClick={() => setEdited("new")}>
        <Icon name="plus" className="size-3.5" />
        {text.addModel}
      </Button>
    </>
  );
  return (
    <Page title={text.title} description={text.description}>
      <Providers />
      <Section title={text.catalog} actions={search}>
        <Loaded query={catalog}>
          {(models) =>
            models.length === 0 ? (
              <Empty icon="models" title={text.emptyTitle}>
                {text.emptyMore}
              </Empty>
            ) : (
              <ModelTable
                models={models.filter(({ id, name }) => `${id} ${name ?? ""}`.toLowerCase().includes(wanted))}
                health={health.data ?? []}
                onOpen={setOpen}
              />
            )
          }
        </Loaded>
      </Section>
      <Routes models={catalog.data ?? []} />
      <Section title={text.targets}>
        <Loaded query={health}>{(targets) => <TargetTable targets={targets} />}</Loaded>
      </Section>
      <ModelSheet model={open} onClose={() => setOpen(null)} onEdit={setEdited} onRemove={setRemoved} />
      {edited !== null && (
        <ModelDialog
          model={edited === "new" ? null : edited}
          providers={providers.data ?? []}
          onClose={() => setEdited(null)}
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
            await answerOf(api.DELETE("/api/admin/models/{id}", { params: { path: { id: removed } } }));
            setOpen(null);
            await refresh();
            notify(text.removed(removed));
          }}
        >
          {text.removeMore}
        </Confirm>
      )}
    </Page>
  );
}
