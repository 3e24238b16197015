import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { PriceVersion } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Menu } from "../../components/menu.tsx";
import { Page } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { notify } from "../../components/toast.tsx";
import { Ago } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { DiffDialog } from "./diff-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { VersionSheet } from "./version-sheet.tsx";

const text = words.prices;

type Open =
  | { readonly kind: "show"; readonly version: number }
  | { readonly kind: "diff" | "activate"; readonly from: number; readonly to: number }
  | { readonly kind: "import" | "rollback" };

/** The versions of the price list: read, compare, import, put in force. */
export function PricesPage() {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const query = useInfiniteQuery({
    queryKey: ["prices"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) =>
      answerOf(api.GET("/api/admin/prices", { params: { query: pageParam === null ? {} : { after: pageParam } } })),
    getNextPageParam: ({ next }) => (next === null ? null : Number(next)),
  });
  const changed = async (version: number) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["prices"] }),
      queries.invalidateQueries({ queryKey: ["catalog"] }),
    ]);
    notify(text.activated(version));
  };
  const actions = (
    <>
      <Button onClick={() => setOpen({ kind: "rollback" })}>{text.rollback}</Button>
      <Button look="primary" onClick={() => setOpen({ kind: "import" })}>
        {text.import}
      </Button>
    </>
  );
  const versions = query.data?.pages.flatMap(({ data }) => data) ?? [];
  // The one in force may be on a page that is not loaded: then what a change means is told from the newest.
  const current = versions.find((each) => each.in_force)?.version ?? versions[0]?.version ?? 1;
  const rowMenu = ({ version, in_force: isInForce }: PriceVersion) => [
    { label: text.show, act: () => setOpen({ kind: "show", version }) },
    {
      label: text.diff,
      disabled: version === 1,
      act: () => setOpen({ kind: "diff", from: version - 1, to: version }),
    },
    {
      label: text.activate,
      disabled: isInForce,
      act: () => setOpen({ kind: "activate", from: current, to: version }),
    },
  ];
  return (
    <Page title={text.title} description={text.description} actions={actions}>
      <Loaded query={query}>
        {({ pages }) => (
          <>
            <Table label={text.title} columns={text.columns}>
              {pages
                .flatMap(({ data }) => data)
                .map((version) => (
                  <Row key={version.version}>
                    <Cell>
                      <span className="flex items-center gap-2">
                        <button
                          type="button"
                          className="numeric font-medium hover:underline"
                          onClick={() => setOpen({ kind: "show", version: version.version })}
                        >
                          {version.version}
                        </button>
                        {version.in_force && <Badge tone="good">{text.inForce}</Badge>}
                      </span>
                    </Cell>
                    <Cell className="text-dim">
                      <Ago at={version.created_at} />
                    </Cell>
                    <Cell className="text-dim">{version.author}</Cell>
                    <Cell className="text-dim">{version.note}</Cell>
                    <Cell className="w-10 text-right">
                      <Menu label={text.versionTitle(version.version)} items={rowMenu(version)} />
                    </Cell>
                  </Row>
                ))}
            </Table>
            <LoadMore query={query} />
          </>
        )}
      </Loaded>
      <VersionSheet version={open?.kind === "show" ? open.version : null} onClose={close} />
      {open?.kind === "diff" && <DiffDialog from={open.from} to={open.to} onClose={close} />}
      {open?.kind === "import" && <ImportDialog onClose={close} onImported={changed} />}
      {open?.kind === "activate" && (
        <DiffDialog
          from={open.from}
          to={open.to}
          onClose={close}
          activate={async () => {
            const params = { path: { id: String(open.to) } };
            const { version } = await answerOf(api.POST("/api/admin/prices/{id}/activate", { params, body: {} }));
            await changed(version);
          }}
        />
      )}
      {open?.kind === "rollback" && (
        <Confirm
          open
          onClose={close}
          title={text.rollbackTitle}
          action={text.rollback}
          act={async () => changed((await answerOf(api.POST("/api/admin/prices/rollback", { body: {} }))).version)}
        >
          {text.activateMore}
        </Confirm>
      )}
    </Page>
  );
}
