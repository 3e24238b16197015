/** The public price maps that can be imported. */
export const publicFormats = ["litellm", "models.dev"] as const;

export type PublicFormat = (typeof publicFormats)[number];

/** All formats that can be imported; `tollgate` is the one that a configuration and an export are written in. */
export const priceFormats = [...publicFormats, "tollgate"] as const;

export type PriceFormat = (typeof priceFormats)[number];
