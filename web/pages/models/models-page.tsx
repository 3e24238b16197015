import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogQuery } from "../../api/catalog.ts";
import type { CatalogModel } from "../../api/types.ts";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { words } from "../../words/en.ts";
import { healthQuery } from "./health-query.ts";
import { ModelSheet } from "./model-sheet.tsx";
import { ModelTable } from "./model-table.tsx";
import { Routes } from "./routes.tsx";
import { TargetTable } from "./target-table.tsx";

const text = words.models;

/** The catalog, the routes, and the health of the targets behind both. */
export function ModelsPage() {
  const catalog = useQuery(catalogQuery);
  const health = useQuery(healthQuery);
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<CatalogModel | null>(null);
  const wanted = filter.trim().toLowerCase();
  const search = (
    <input
      type="search"
      aria-label={text.filter}
      placeholder={text.filter}
      value={filter}
      onChange={(event) => setFilter(event.target.value)}
      className="field max-w-56"
    />
  );
  return (
    <Page title={text.title} description={text.description}>
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
      <ModelSheet model={open} onClose={() => setOpen(null)} />
    </Page>
  );
}
