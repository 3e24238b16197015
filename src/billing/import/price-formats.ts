/** The public price maps that can be imported. */
export const priceFormats = ["litellm", "models.dev"] as const;

export type PriceFormat = (typeof priceFormats)[number];
