import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { OperatorVideo } from "../../api/types.ts";
import { buttonClass } from "../../components/button.tsx";
import { CopyText } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { exactTime } from "../../format/time.ts";
import { words } from "../../words/en.ts";
import { Media } from "./media.tsx";

const text = words.jobs;

/** A job as the API has it; its document tells what operators see beside. */
export type Video = OperatorVideo & {
  readonly model: string;
  readonly status: string;
  readonly progress: number;
  readonly prompt: string;
  readonly size: string | null;
  readonly seconds: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly error: { readonly code?: string; readonly message?: string } | null;
};

/** One job, with its film if there is one. */
export function VideoView({ video }: { readonly video: Video }) {
  const { status, expires_at: expiresAt } = video;
  const isGone = video.is_deleted || (expiresAt !== null && expiresAt * 1000 < Date.now());
  return (
    <>
      {status === "completed" && !isGone ? (
        <Media path={`/api/admin/videos/${video.id}/content`} contentType="video/mp4" name={`${video.id}.mp4`} />
      ) : (
        <p className="border-b border-line p-4 text-sm text-dim">{isGone ? text.gone : text.notYet}</p>
      )}
      <div className="flex flex-col gap-4 p-4">
        <Facts facts={factsOf(video)} />
        <Link to="/requests" search={{ id: video.request_id }} className={buttonClass()}>
          {text.record}
        </Link>
      </div>
    </>
  );
}

function factsOf(video: Video): (readonly [string, ReactNode])[] {
  const names = text.filmFacts;
  const facts: (readonly [string, ReactNode])[] = [
    [names.prompt, video.prompt],
    [names.model, video.model],
    [names.account, video.account],
    [names.created, exactTime(video.created_at)],
  ];
  const add = (name: string, value: string | null) => {
    if (value !== null && value !== "") facts.push([name, value]);
  };
  add(names.size, video.size);
  add(names.seconds, video.seconds);
  add(names.provider, video.provider);
  add(names.providerJob, video.provider_job_id);
  if (video.expires_at !== null) facts.push([names.expires, exactTime(video.expires_at)]);
  if (video.error !== null) {
    facts.push([
      names.error,
      <span key="error" className="text-bad">
        {[video.error.code, video.error.message].filter(Boolean).join(": ")}
      </span>,
    ]);
  }
  facts.push([names.id, <CopyText key="id" text={video.id} />]);
  return facts;
}
