import type { DialectCodec } from "../dialects/codec.ts";
import type { EmbeddingsProvider } from "./embeddings.ts";

/**
 * What providers of a dialect can be asked, by kind of operation. Operations of one kind share a neutral form, so that a
 * caller of any dialect is served by a provider of any other. A new kind adds its name here, from its own folder:
 * `declare module "../operations/provider-halves.ts" { interface ProviderHalves { ... } }`.
 */
export interface ProviderHalves {
  readonly conversation?: DialectCodec;
  readonly embeddings?: EmbeddingsProvider;
}
