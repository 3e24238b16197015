/** The fields that OpenAI has for images, but those that hold images. `user` and `safety_identifier` are the gateway's to read. */
export const imageFields = [
  "model",
  "prompt",
  "n",
  "size",
  "quality",
  "style",
  "background",
  "moderation",
  "output_format",
  "output_compression",
  "response_format",
  "stream",
  "partial_images",
  "input_fidelity",
  "user",
  "safety_identifier",
] as const;
