import { useState } from "react";
import { AreaField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";
import { choicesOf, ModelSelect, useModelChoice } from "./model-select.tsx";
import { OptionField } from "./option-field.tsx";
import { RunForm } from "./run-form.tsx";
import { useCall } from "./use-call.ts";

const text = words.explorer;

interface ImageAnswer {
  readonly data: readonly { readonly b64_json?: string }[];
}

/** A picture that is drawn. */
export function ImageMode({ apiKey }: { readonly apiKey: string }) {
  const { models, model, choose, parameters } = useModelChoice("images_generations");
  const [prompt, setPrompt] = useState("");
  const [size, setSize] = useState("");
  const call = useCall((response) => response.json() as Promise<ImageAnswer>);
  const run = () => {
    const body = { model, prompt, response_format: "b64_json", ...(size !== "" && { size }) };
    void call.run({ path: "/v1/images/generations", key: apiKey, body });
  };
  const result = call.result?.data.map(({ b64_json: content }, index) =>
    content === undefined ? null : (
      <img
        key={index}
        src={`data:image/png;base64,${content}`}
        alt={text.imageOf(prompt)}
        className="max-h-[70vh] max-w-full self-start rounded-lg border border-line"
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
      <ModelSelect models={models} value={model} onChange={choose} />
      <OptionField
        label={text.size}
        options={choicesOf(parameters, "sizes")}
        unset={text.usualSize}
        value={size}
        onChange={setSize}
      />
      <AreaField label={text.imagePrompt} rows={4} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
    </RunForm>
  );
}
