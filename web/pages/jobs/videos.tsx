import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import type { OperatorVideo } from "../../api/types.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Check } from "../../components/check.tsx";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { LoadMore } from "../../components/load-more.tsx";
import { Section } from "../../components/page.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { Ago, None } from "../../components/values.tsx";
import { words } from "../../words/en.ts";

const text = words.jobs;

/** A job as the API has it; its document tells what operators see beside. */
type Video = OperatorVideo & {
  readonly model: string;
  readonly status: string;
  readonly progress: number;
  readonly created_at: number;
};

const tones: Readonly<Record<string, Tone>> = { completed: "good", failed: "bad", in_progress: "accent" };

export function Videos() {
  const [isUnpaid, setUnpaid] = useState(false);
  const query = useInfiniteQuery({
    queryKey: ["videos", isUnpaid],
    initialPageParam: null as string | null,
    refetchInterval: 10_000,
    queryFn: ({ pageParam }) => {
      const asked = { ...(isUnpaid && { unpaid: "true" as const }), ...(pageParam !== null && { after: pageParam }) };
      return answerOf(api.GET("/api/admin/videos", { params: { query: asked } }));
    },
    getNextPageParam: ({ next }) => (next === null ? null : String(next)),
  });
  const filter = (
    <Check checked={isUnpaid} onChange={setUnpaid}>
      {text.unpaid}
    </Check>
  );
  return (
    <Section title={text.videos} actions={filter}>
      <Loaded query={query} rows={3}>
        {({ pages }) => {
          const videos = pages.flatMap(({ data }) => data as unknown as readonly Video[]);
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
                  <VideoRow key={video.id} video={video} />
                ))}
              </Table>
              <LoadMore query={query} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function VideoRow({ video }: { readonly video: Video }) {
  return (
    <Row>
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
        <Link to="/requests" search={{ id: video.request_id }} className="text-accent hover:underline">
          {text.record}
        </Link>
      </Cell>
    </Row>
  );
}
