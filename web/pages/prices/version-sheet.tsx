import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { Badge } from "../../components/badge.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { PriceTable } from "../../components/price-table.tsx";
import { words } from "../../words/en.ts";

interface VersionSheetProps {
  /** Null for none. */
  readonly version: number | null;
  readonly onClose: () => void;
}

/** The prices of a version, by model. */
export function VersionSheet({ version, onClose }: VersionSheetProps) {
  return (
    <Sheet open={version !== null} onClose={onClose} title={version === null ? "" : words.prices.versionTitle(version)}>
      {version !== null && <VersionPrices version={version} />}
    </Sheet>
  );
}

function VersionPrices({ version }: { readonly version: number }) {
  const [filter, setFilter] = useState("");
  const query = useQuery({
    queryKey: ["price-list", version],
    queryFn: () => answerOf(api.GET("/api/admin/prices/{id}", { params: { path: { id: String(version) } } })),
  });
  return (
    <div className="flex flex-col gap-4 p-4">
      <input
        type="search"
        aria-label={words.models.filter}
        placeholder={words.models.filter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
        className="field"
      />
      <Loaded query={query}>
        {({ models }) =>
          models
            .filter(({ id }) => id.toLowerCase().includes(filter.trim().toLowerCase()))
            .map((model, index) => (
              <section key={index}>
                <h3 className="mb-1 flex items-center gap-2 text-sm font-semibold">
                  <span className="truncate">
                    {model.target === undefined ? model.id : `${model.id} (${model.target})`}
                  </span>
                  <Badge>{model.source.name}</Badge>
                </h3>
                <PriceTable prices={model.pricing} />
              </section>
            ))
        }
      </Loaded>
    </div>
  );
}
