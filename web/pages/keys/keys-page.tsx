import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { ApiKey, IssuedKey } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Empty } from "../../components/empty.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Page } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import { notify } from "../../components/toast.tsx";
import { words } from "../../words/en.ts";
import { IssuedDialog } from "./issued-dialog.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { keysQuery } from "./key-queries.ts";
import { KeyRow } from "./key-row.tsx";
import { KeySheet } from "./key-sheet.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

const text = words.keys;

type Open =
  | { readonly kind: "form"; readonly key: ApiKey | null }
  | { readonly kind: "rotate" | "disable"; readonly key: ApiKey }
  | { readonly kind: "issued"; readonly issued: IssuedKey };

/** The API keys: create, change, rotate, disable. */
export function KeysPage() {
  const query = useInfiniteQuery(keysQuery);
  const queries = useQueryClient();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [filter, setFilter] = useState("");
  const [chosen, setOpen] = useState<Open | null>(null);
  const open = chosen ?? (search["new"] === "1" ? ({ kind: "form", key: null } as const) : null);
  const show = (key: ApiKey | null) => {
    void navigate({ to: "/keys", search: ({ range }) => ({ range, ...(key && { id: key.id }) }), replace: true });
  };
  const close = () => {
    setOpen(null);
    if (search["new"] !== undefined) void navigate({ to: "/keys", search: ({ range }) => ({ range }), replace: true });
  };
  const refresh = () => queries.invalidateQueries({ queryKey: ["keys"] });
  const setDisabled = async ({ id, name }: ApiKey, disabled: boolean) => {
    await answerOf(api.PATCH("/api/admin/keys/{id}", { params: { path: { id } }, body: { disabled } }));
    await refresh();
    notify(disabled ? text.disabled(name) : text.enabled(name));
  };
  const issue = (issued: IssuedKey) => {
    close();
    setOpen({ kind: "issued", issued });
    void refresh();
  };
  const create = (
    <Button look="primary" onClick={() => setOpen({ kind: "form", key: null })}>
      <Icon name="plus" className="size-3.5" />
      {text.create}
    </Button>
  );
  const actions = {
    show,
    edit: (key: ApiKey) => setOpen({ kind: "form", key }),
    rotate: (key: ApiKey) => setOpen({ kind: "rotate", key }),
    disable: (key: ApiKey) => setOpen({ kind: "disable", key }),
    enable: (key: ApiKey) => void setDisabled(key, false),
  };
  return (
    <Page title={text.title} description={text.description} actions={create}>
      <Loaded query={query}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) {
            return (
              <Empty icon="keys" title={text.emptyTitle} action={create}>
                {text.emptyMore}
              </Empty>
            );
          }
          const wanted = filter.trim().toLowerCase();
          const shown = all.filter(({ name, id }) => `${name} ${id}`.toLowerCase().includes(wanted));
          return (
            <>
              <div className="border-b border-line px-4 py-2 sm:px-6">
                <input
                  type="search"
                  aria-label={text.filter}
                  placeholder={text.filter}
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                  className="field max-w-64"
                />
              </div>
              <Table label={text.title} columns={text.columns}>
                {shown.map((key) => (
                  <KeyRow key={key.id} apiKey={key} actions={actions} />
                ))}
              </Table>
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
      <KeySheet
        apiKey={query.data?.pages.flatMap(({ data }) => data).find(({ id }) => id === search["id"]) ?? null}
        actions={actions}
        onClose={() => show(null)}
      />
      {open?.kind === "form" && <KeyDialog apiKey={open.key} onClose={close} onIssued={issue} />}
      {open?.kind === "rotate" && <RotateDialog apiKey={open.key} onClose={close} onIssued={issue} />}
      {open?.kind === "issued" && <IssuedDialog issued={open.issued} onClose={close} />}
      {open?.kind === "disable" && (
        <Confirm
          open
          onClose={close}
          title={text.disableTitle(open.key.name)}
          action={text.disable}
          act={() => setDisabled(open.key, true)}
        >
          {text.disableMore}
        </Confirm>
      )}
    </Page>
  );
}
