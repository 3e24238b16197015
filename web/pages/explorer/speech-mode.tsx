import { useState } from "react";
import { AreaField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { choicesOf, ModelSelect, useModelChoice } from "./model-select.tsx";
import { useObjectUrl } from "./object-url.ts";
import { OptionField, optionOf } from "./option-field.tsx";
import { RunForm } from "./run-form.tsx";
import { useCall } from "./use-call.ts";

const text = words.explorer;

/** Formats that browsers play, the most common one first. */
const playable = ["mp3", "wav", "opus", "aac", "flac"];

/** A text that is spoken. */
export function SpeechMode({ apiKey }: { readonly apiKey: string }) {
  const { models, model, choose, parameters } = useModelChoice("audio_speech");
  const [input, setInput] = useState("");
  const [chosenVoice, setVoice] = useState("");
  const [chosenFormat, setFormat] = useState("");
  const call = useCall((response) => response.blob());
  const voices = choicesOf(parameters, "voices");
  const voice = optionOf(chosenVoice, voices, "alloy");
  const listed = choicesOf(parameters, "formats");
  const formats = playable.filter((format) => listed.length === 0 || listed.includes(format));
  const format = optionOf(chosenFormat, formats, "mp3");
  const run = () => {
    const body = { model, voice, input, response_format: format };
    void call.run({ path: "/v1/audio/speech", key: apiKey, body });
  };
  return (
    <RunForm
      hasKey={apiKey !== ""}
      canRun={input.trim() !== "" && model !== ""}
      call={call}
      onRun={run}
      result={call.result && <Sound blob={call.result} />}
    >
      <ModelSelect models={models} value={model} onChange={choose} />
      <div className="grid grid-cols-2 gap-3">
        <OptionField
          label={text.voice}
          options={voices}
          value={voices.length === 0 ? chosenVoice || voice : voice}
          onChange={setVoice}
        />
        <OptionField label={text.format} options={formats} value={format} onChange={setFormat} />
      </div>
      <AreaField label={text.text} rows={5} value={input} onChange={(event) => setInput(event.target.value)} />
    </RunForm>
  );
}

function Sound({ blob }: { readonly blob: Blob }) {
  const url = useObjectUrl(blob);
  return url === null ? null : <audio controls src={url} aria-label={text.audio} className="w-full max-w-md" />;
}
