import type { KnownToModels, ModelReading, ProviderReading } from "./read-entry.ts";

/** Creates readers of single stored providers and models. The validation is loaded on first use: that is slow, and rarely needed. */
export function catalogReader(publicUrl: string | null) {
  return {
    async readProvider(value: unknown): Promise<ProviderReading> {
      const { readProvider } = await import("./read-entry.ts");
      return readProvider(value, publicUrl);
    },
    async readModel(value: unknown, known: KnownToModels): Promise<ModelReading> {
      const { readModel } = await import("./read-entry.ts");
      return readModel(value, known);
    },
  };
}
