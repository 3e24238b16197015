import { useState } from "react";
import { TextField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { FileField } from "./file-field.tsx";
import { ModelSelect, useModelChoice } from "./model-select.tsx";
import { RunForm } from "./run-form.tsx";
import { useCall } from "./use-call.ts";

const text = words.explorer;

/** A sound file that is written down. */
export function TranscriptionMode({ apiKey }: { readonly apiKey: string }) {
  const { models, model, choose } = useModelChoice("audio_transcriptions");
  const [file, setFile] = useState<File | null>(null);
  const [language, setLanguage] = useState("");
  const call = useCall((response) => response.json() as Promise<{ readonly text: string }>);
  const run = () => {
    if (file === null) return;
    const body = new FormData();
    body.set("model", model);
    if (language.trim() !== "") body.set("language", language.trim());
    body.set("file", file);
    void call.run({ path: "/v1/audio/transcriptions", key: apiKey, body });
  };
  const result = call.result && (
    <p className="max-w-2xl text-base wrap-anywhere whitespace-pre-wrap">{call.result.text || text.noText}</p>
  );
  return (
    <RunForm hasKey={apiKey !== ""} canRun={file !== null && model !== ""} call={call} onRun={run} result={result}>
      <ModelSelect models={models} value={model} onChange={choose} />
      <FileField label={text.file} accept="audio/*,video/*" onChange={setFile} />
      <TextField
        label={text.language}
        hint={text.languageHint}
        value={language}
        onChange={(event) => setLanguage(event.target.value)}
      />
    </RunForm>
  );
}
