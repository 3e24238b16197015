import { useEffect, useState } from "react";
import { AreaField, Field, TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { ModelSelect, useModelsOf } from "./model-select.tsx";
import { RunForm } from "./run-form.tsx";
import { useCall } from "./use-call.ts";

const text = words.explorer;

interface ModeProps {
  readonly apiKey: string;
}

/** A text that is spoken. */
export function SpeechMode({ apiKey }: ModeProps) {
  const models = useModelsOf("audio_speech");
  const [chosen, setModel] = useState("");
  const [input, setInput] = useState("");
  const [voice, setVoice] = useState("alloy");
  const call = useCall((response) => response.blob());
  const model = chosen || (models[0] ?? "");
  const run = () => {
    const body = { model, voice, input, response_format: "wav" };
    void call.run({ path: "/v1/audio/speech", key: apiKey, body });
  };
  const result = call.result && <Sound blob={call.result} />;
  return (
    <RunForm
      hasKey={apiKey !== ""}
      canRun={input.trim() !== "" && model !== ""}
      call={call}
      onRun={run}
      result={result}
    >
      <ModelSelect models={models} value={model} onChange={setModel} />
      <TextField label={text.voice} value={voice} onChange={(event) => setVoice(event.target.value)} />
      <AreaField label={text.text} rows={5} value={input} onChange={(event) => setInput(event.target.value)} />
    </RunForm>
  );
}

function Sound({ blob }: { readonly blob: Blob }) {
  const url = useObjectUrl(blob);
  return url === null ? null : <audio controls src={url} aria-label={text.audio} className="w-full max-w-md" />;
}

/** The address of a content of this page, as long as it is shown. */
function useObjectUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

/** A sound file that is written down. */
export function TranscriptionMode({ apiKey }: ModeProps) {
  const models = useModelsOf("audio_transcriptions");
  const [chosen, setModel] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const call = useCall((response) => response.json() as Promise<{ readonly text: string }>);
  const model = chosen || (models[0] ?? "");
  const run = () => {
    if (file === null) return;
    const body = new FormData();
    body.set("model", model);
    body.set("file", file);
    void call.run({ path: "/v1/audio/transcriptions", key: apiKey, body });
  };
  const result = call.result && (
    <p className="max-w-2xl text-base wrap-anywhere whitespace-pre-wrap">{call.result.text || text.noText}</p>
  );
  return (
    <RunForm hasKey={apiKey !== ""} canRun={file !== null && model !== ""} call={call} onRun={run} result={result}>
      <ModelSelect models={models} value={model} onChange={setModel} />
      <Field label={text.file}>
        {(named) => (
          <input
            {...named}
            type="file"
            accept="audio/*,video/*"
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
            className="text-sm file:mr-3 file:rounded-md file:border file:border-line file:bg-surface file:px-3 file:py-1.5 file:text-sm"
          />
        )}
      </Field>
    </RunForm>
  );
}

interface ImageAnswer {
  readonly data: readonly { readonly b64_json?: string }[];
}

/** A picture that is drawn. */
export function ImageMode({ apiKey }: ModeProps) {
  const models = useModelsOf("images_generations");
  const [chosen, setModel] = useState("");
  const [prompt, setPrompt] = useState("");
  const call = useCall((response) => response.json() as Promise<ImageAnswer>);
  const model = chosen || (models[0] ?? "");
  const run = () => {
    const body = { model, prompt, response_format: "b64_json" };
    void call.run({ path: "/v1/images/generations", key: apiKey, body });
  };
  const result = call.result?.data.map(({ b64_json: content }, index) =>
    content === undefined ? null : (
      <img
        key={index}
        src={`data:image/png;base64,${content}`}
        alt={text.imageOf(prompt)}
        className="max-h-[70vh] max-w-full rounded-lg border border-line"
      />
    ),
  );
  return (
    <RunForm
      hasKey={apiKey !== ""}
      canRun={prompt.trim() !== "" && model !== ""}
      call={call}
      onRun={run}
      result={result}
    >
      <ModelSelect models={models} value={model} onChange={setModel} />
      <AreaField label={text.imagePrompt} rows={4} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
    </RunForm>
  );
}
