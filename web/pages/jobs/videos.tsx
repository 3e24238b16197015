import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/check.tsx";
import { Sheet } from "../../components/dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, None } from "../../components/values.tsx";
import { words } from "../../words/en.ts";
import { AccountFilter } from "./account-filter.tsx";
import { type Video, VideoView } from "./video-view.tsx";

const text = words.jobs;

const statuses = ["queued", "in_progress", "completed", "failed"] as const;

type Status = (typeof statuses)[number];

const tones: Readonly<Record<string, Tone>> = { completed: "good", failed: "bad", in_progress: "accent" };

export function Videos() {
  const [isUnpaid, setUnpaid] = useState(false);
  const [account, setAccount] = useState<string | null>(null);
  const [status, setStatus] = useState<Status | null>(null);
  const [openId, setOpenId] = useState<string | null>(null);
  const query = useInfiniteQuery({
    queryKey: ["videos", isUnpaid, account, status],
    initialPageParam: null as string | null,
    refetchInterval: 10_000,
    queryFn: ({ pageParam }) => {
      const asked = {
        ...(isUnpaid && { unpaid: "true" as const }),
        ...(account !== null && { account }),
        ...(status !== null && { status }),
        ...(pageParam !== null && { after: pageParam }),
      };
      return answerOf(api.GET("/api/admin/videos", { params: { query: asked } }));
    },
    getNextPageParam: ({ next }) => (next === null ? null : String(next)),
  });
  const isFiltered = isUnpaid || account !== null || status !== null;
  const all = query.data?.pages.flatMap(({ data }) => data as unknown as readonly Video[]) ?? [];
  const open = all.find(({ id }) => id === openId) ?? null;
  const filter = (
    <>
      <Check checked={isUnpaid} onChange={setUnpaid}>
        {text.unpaid}
      </Check>
      <select
        aria-label={text.statusFilter}
        value={status ?? ""}
        onChange={(event) => setStatus(statuses.find((each) => each === event.target.value) ?? null)}
        className="field w-32"
      >
        <option value="">{text.anyStatus}</option>
        {statuses.map((each) => (
          <option key={each} value={each}>
            {text.status[each]}
          </option>
        ))}
      </select>
      <AccountFilter account={account} onChange={setAccount} />
    </>
  );
  return (
    <Section title={text.videos} actions={filter}>
      <Loaded query={query} rows={3}>
        {({ pages }) => {
          const videos = pages.flatMap(({ data }) => data as unknown as readonly Video[]);
          if (videos.length === 0 && isFiltered) {
            return <p className="px-4 pb-4 text-sm text-dim sm:px-6">{text.noneMatch}</p>;
          }
          if (videos.length === 0) {
            return (
              <Empty icon="jobs" title={text.noVideosTitle}>
                {text.noVideos}
              </Empty>
            );
          }
          return (
            <>
              <Table label={text.videos} columns={text.videoColumns}>
                {videos.map((video) => (
                  <VideoRow key={video.id} video={video} onOpen={() => setOpenId(video.id)} />
                ))}
              </Table>
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
      <Sheet open={open !== null} onClose={() => setOpenId(null)} title={text.film}>
        {open && <VideoView key={open.id} video={open} />}
      </Sheet>
    </Section>
  );
}

function VideoRow({ video, onOpen }: { readonly video: Video; readonly onOpen: () => void }) {
  return (
    <Row onClick={onOpen}>
      <Cell className="max-w-56 font-mono text-xs">{video.id}</Cell>
      <Cell>{video.model}</Cell>
      <Cell>
        <Badge tone={tones[video.status] ?? "plain"}>{text.status[video.status] ?? video.status}</Badge>{" "}
        {video.status === "in_progress" && <span className="text-xs text-dim">{text.progress(video.progress)}</span>}
        {video.is_deleted && <Badge>{text.deleted}</Badge>}
      </Cell>
      <Cell className="text-dim">{video.account}</Cell>
      <Cell className="text-dim">{video.provider ?? <None />}</Cell>
      <Cell className="text-dim">
        <Ago at={video.created_at} />
      </Cell>
      <Cell className="text-right">
        <Button small onClick={onOpen}>
          {video.status === "completed" && !video.is_deleted ? text.play : text.show}
        </Button>
      </Cell>
    </Row>
  );
}
