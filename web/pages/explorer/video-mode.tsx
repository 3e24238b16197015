import { useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { AreaField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { FileField } from "./file-field.tsx";
import { choicesOf, ModelSelect, useModelChoice } from "./model-select.tsx";
import { useObjectUrl } from "./object-url.ts";
import { OptionField } from "./option-field.tsx";
import { RunForm } from "./run-form.tsx";
import { type ReadTools, useCall } from "./use-call.ts";
import { followJob, type VideoJob, type VideoResult } from "./video-job.ts";

const text = words.explorer;

/** A film: a job is begun, followed, and played once it is complete. */
export function VideoMode({ apiKey }: { readonly apiKey: string }) {
  const { models, model, choose, parameters } = useModelChoice("videos");
  const [prompt, setPrompt] = useState("");
  const [seconds, setSeconds] = useState("");
  const [size, setSize] = useState("");
  const [picture, setPicture] = useState<File | null>(null);
  const tools = useRef<ReadTools<VideoResult> | null>(null);
  const call = useCall<VideoResult>(async (response, given) => {
    tools.current = given;
    return followJob((await response.json()) as VideoJob, given);
  });
  const run = () => {
    const body = new FormData();
    const fields = { model, prompt, seconds, size };
    for (const [name, value] of Object.entries(fields)) if (value !== "") body.set(name, value);
    if (picture !== null) body.set("input_reference", picture);
    void call.run({ path: "/v1/videos", key: apiKey, body });
  };
  // The job's end comes by the way that it is followed.
  const cancel = ({ id }: VideoJob) => tools.current?.callMore({ path: `/v1/videos/${id}/cancel` });
  return (
    <RunForm
      hasKey={apiKey !== ""}
      canRun={prompt.trim() !== "" && model !== ""}
      call={call}
      onRun={run}
      result={call.result && <Job result={call.result} prompt={prompt} cancel={call.isBusy ? cancel : null} />}
    >
      <ModelSelect models={models} value={model} onChange={choose} />
      <div className="grid grid-cols-2 gap-3">
        <OptionField
          label={text.seconds}
          options={choicesOf(parameters, "seconds")}
          unset={text.usualSize}
          value={seconds}
          onChange={setSeconds}
        />
        <OptionField
          label={text.size}
          options={choicesOf(parameters, "sizes")}
          unset={text.usualSize}
          value={size}
          onChange={setSize}
        />
      </div>
      <AreaField label={text.videoPrompt} rows={4} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
      <FileField label={text.firstFrame} accept="image/png,image/jpeg,image/webp" onChange={setPicture} />
    </RunForm>
  );
}

interface JobProps {
  readonly result: VideoResult;
  readonly prompt: string;
  /** Null once it has ended. */
  readonly cancel: ((job: VideoJob) => Promise<unknown> | undefined) | null;
}

function Job({ result: { job, film }, prompt, cancel }: JobProps) {
  const [isCancelling, setCancelling] = useState(false);
  const isOver = job.status === "completed" || job.status === "failed";
  return (
    <div className="flex max-w-2xl flex-col gap-2">
      <p className="flex flex-wrap items-center gap-3 text-sm">
        <span className="font-medium">{text.jobStatus[job.status]}</span>
        {!isOver && (
          <progress aria-label={text.progress} max={100} value={job.progress} className="h-1.5 flex-1 accent-accent" />
        )}
        {!isOver && <span className="numeric text-xs text-dim">{`${job.progress} %`}</span>}
        {!isOver && cancel && (
          <Button
            small
            busy={isCancelling}
            onClick={() => {
              setCancelling(true);
              cancel(job)?.catch(() => setCancelling(false));
            }}
          >
            {text.cancelVideo}
          </Button>
        )}
      </p>
      {job.error && <p className="text-sm text-bad wrap-anywhere">{job.error.message}</p>}
      {film && <Film blob={film} label={text.video(prompt)} />}
    </div>
  );
}

function Film({ blob, label }: { readonly blob: Blob; readonly label: string }) {
  const url = useObjectUrl(blob);
  return url === null ? null : (
    <video controls src={url} aria-label={label} className="max-h-[55vh] max-w-full self-start rounded-lg" />
  );
}
