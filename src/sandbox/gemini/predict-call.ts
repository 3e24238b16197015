import type { Call } from "../dialect.ts";
import { listOrEmpty, objectOrEmpty } from "../json.ts";
import { delivered, writePicture } from "../pictures/picture.ts";
import { promptOfTexts } from "../prompt.ts";
import { invalidArgument } from "./check-shape.ts";
import { type Size, sizeOf, withoutDirective } from "./draw.ts";
import { geminiError } from "./errors.ts";
import { parseBody } from "./generate-call.ts";

/** Pixels at 1K, as Google lists them for Imagen. */
const imagenSizes: Readonly<Record<string, Size>> = {
  "1:1": [1_024, 1_024],
  "3:4": [896, 1_280],
  "4:3": [1_280, 896],
  "9:16": [768, 1_408],
  "16:9": [1_408, 768],
};

const maxSamples = 4;
const parameterNames = [
  "aspectRatio",
  "negativePrompt",
  "outputOptions",
  "personGeneration",
  "sampleCount",
  "sampleImageSize",
];

/** Reads a request of `:predict`, as Imagen's models take it. Throws Google's error if it is invalid. */
export function readPredictCall(body: string, model: string): Call {
  const { instances, parameters, sandbox } = parseBody(body);
  const [instance, ...others] = listOrEmpty(instances).map(objectOrEmpty);
  const prompt = instance?.["prompt"];
  if (typeof prompt !== "string" || prompt === "" || others.length > 0) {
    throw invalidArgument("Invalid instance: prompt must be a non-empty string.", "instances[0].prompt");
  }
  const settings = objectOrEmpty(parameters);
  const unknown = Object.keys(settings).find((name) => !parameterNames.includes(name));
  if (unknown !== undefined) throw invalidArgument(`Unknown parameter: ${unknown}.`, `parameters.${unknown}`);
  const count = settings["sampleCount"] ?? 1;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > maxSamples) {
    throw invalidArgument(`sampleCount must be between 1 and ${maxSamples}.`, "parameters.sampleCount");
  }
  const [width, height] = sizeOf(settings, imagenSizes, "sampleImageSize", "parameters");
  return {
    prompt: promptOfTexts(model, [prompt]),
    stream: false,
    directives: sandbox,
    check() {},
    writeJson(_reply, script) {
      if (script.refusal !== undefined) return JSON.stringify({ predictions: [{ raiFilteredReason: script.refusal }] });
      const predictions = Array.from({ length: delivered(count, script) }, (_, index) => {
        const bytes = writePicture({ text: `${withoutDirective(prompt)}\n${index}`, width, height }, script);
        return { mimeType: "image/png", bytesBase64Encoded: Buffer.from(bytes).toString("base64") };
      });
      return JSON.stringify({ predictions });
    },
    streamContentType: "text/event-stream",
    writeStream() {
      throw invalidArgument("Predictions are not streamed.");
    },
    errorFrame: (failure) => ({ data: JSON.stringify(geminiError(failure)) }),
  };
}
