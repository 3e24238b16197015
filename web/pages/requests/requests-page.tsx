import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useCallback, useMemo, useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Icon } from "../../components/icon.tsx";
import { later, onDemand } from "../../components/later.ts";
import { Page } from "../../components/page.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { count } from "../../format/number.ts";
import { RangePicker, useRange } from "../../range/range-picker.tsx";
import { words } from "../../words/en.ts";
import { columns } from "./columns.tsx";
import { FilterBar } from "../../filters/filter-bar.tsx";
import { type Filters, readFilters } from "../../filters/filters.ts";
import { ListMenusOutline } from "./list-menus-outline.tsx";
import { useListSettings } from "./list-settings.ts";
import { NoRecords } from "./no-records.tsx";
import { RecordList } from "./record-list.tsx";
import { useRecords } from "./use-records.ts";

const text = words.requests;
const ListMenus = later(async () => (await import("./list-menus.tsx")).ListMenus);
const RecordSheet = onDemand(async () => (await import("./record-sheet.tsx")).RecordSheet);

function footText(hasMore: boolean, cutAt: number | null): string {
  if (hasMore) return text.loadingMore;
  return cutAt === null ? text.end : text.endOfMany(count(cutAt));
}

/** The requests: every one that was recorded, by what the address says, and one of them beside the list. */
export function RequestsPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = readFilters(search);
  const range = useRange();
  const [isLive, setLive] = useState(false);
  const [settings, changeSettings] = useListSettings();
  const { records, isCut, paged, refresh, error, isFetching } = useRecords(filters, range, isLive);
  const shownColumns = useMemo(() => columns.filter(({ id }) => settings.columns.includes(id)), [settings.columns]);
  const openId = search["id"] ?? null;
  const [wasOpened, setOpened] = useState(openId !== null);
  if (openId !== null && !wasOpened) setOpened(true);

  const setFilters = (next: Filters) => {
    void navigate({ to: "/requests", search: ({ range }) => ({ range, ...next }) });
  };
  const open = useCallback(
    (id: string | undefined) => {
      void navigate({ to: "/requests", search: (before) => ({ ...before, id }), replace: true });
    },
    [navigate],
  );
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = paged;
  const loadMore = useCallback(() => {
    if (!isLive && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isLive, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const foot = paged.isFetchNextPageError ? (
    <ErrorNote error={paged.error} retry={() => void fetchNextPage()} className="m-4" />
  ) : (
    <p className="px-6 py-3 text-xs text-faint">
      {footText(hasNextPage && !isLive, isCut ? (records?.length ?? 0) : null)}
    </p>
  );
  return (
    <Page
      title={text.title}
      fill
      className={openId === null ? "" : "lg:pr-[34rem]"}
      actions={
        <>
          {!isLive && <RangePicker />}
          <Button small aria-pressed={isLive} title={text.liveHint} onClick={() => setLive(!isLive)}>
            <Icon name="live" className={isLive ? "size-3.5 text-good" : "size-3.5"} />
            {text.live}
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 sm:px-6">
        <FilterBar filters={filters} onChange={setFilters} />
        <span className="flex-1" />
        <Suspense fallback={<ListMenusOutline />}>
          <ListMenus
            filters={filters}
            range={range}
            settings={settings}
            onSettings={changeSettings}
            onFilters={setFilters}
          />
        </Suspense>
        <IconButton label={text.refresh} disabled={isLive || isFetching} onClick={refresh}>
          <Icon name="changes" className="size-3.5" />
        </IconButton>
      </div>
      {records === undefined ? (
        error ? (
          <ErrorNote error={error} retry={() => void paged.refetch()} className="m-4" />
        ) : (
          <Skeleton rows={14} />
        )
      ) : records.length === 0 ? (
        <NoRecords isFiltered={Object.keys(filters).length > 0} onClear={() => setFilters({})} />
      ) : (
        <RecordList
          records={records}
          columns={shownColumns}
          widths={settings.widths}
          onWidths={(widths) => changeSettings({ widths })}
          openId={openId}
          onOpen={open}
          onEnd={loadMore}
          foot={foot}
        />
      )}
      <Suspense>{wasOpened && <RecordSheet id={openId} onClose={() => open(undefined)} />}</Suspense>
    </Page>
  );
}
