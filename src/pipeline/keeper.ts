import type { Delivery } from "./delivery/delivery.ts";
import type { Endpoint, EndpointInput } from "./endpoint.ts";
import type { Journey } from "./journey.ts";

const nothingToKeep = Promise.resolve();

/** What an endpoint keeps of its good answers beside their records, ready to be done for one request. */
export function keeper<Input extends EndpointInput>(
  endpoint: Endpoint<Input>,
  input: Input,
  { target }: Journey,
): Delivery["keep"] {
  return (lastWord) => (target && endpoint.keep ? endpoint.keep(input, lastWord, target) : nothingToKeep);
}
