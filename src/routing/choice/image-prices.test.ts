import { expect, test } from "bun:test";
import fc from "fast-check";
import { buildPrices } from "../../billing/prices/build-prices.ts";
import { applicableRates, priceOf } from "../../billing/prices/price-of.ts";
import { dearestImage } from "./image-prices.ts";

const sizes = ["512x512", "1024x1024", "1536x1024"];
const qualities = ["low", "high"];
const variants = [...sizes, ...sizes.flatMap((size) => qualities.map((quality) => `${quality}/${size}`)), "default"];

/** Prices of some variants, alone or in a window of the day too. */
const rates = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...variants), fc.integer({ min: 1, max: 1_000 })), {
    selector: ([name]) => name,
  })
  .map((entries) => Object.fromEntries(entries));

test("no image costs more than the dearest that a request can lead to, and one costs that", () => {
  fc.assert(
    fc.property(
      rates,
      fc.option(fc.constantFrom(...sizes)),
      fc.option(fc.constantFrom(...qualities)),
      fc.option(rates),
      (image, size, quality, atNight) => {
        const windows =
          atNight === null ? {} : { windows: [{ from: "00:00", to: "06:00", time_zone: "UTC", image: atNight }] };
        const prices = buildPrices({ image, ...windows });
        const dearest = dearestImage(prices, { size, quality })?.unitMicrousd ?? 0;
        const possible = (size === null ? [...sizes, "640x480"] : [size]).flatMap((made) =>
          (quality === null ? [null, ...qualities] : [quality]).flatMap((its) =>
            [0, 12 * 3_600_000].map((at) => {
              const sets = applicableRates(prices, [], { at, serviceTier: null });
              return priceOf("image", its === null ? made : `${its}/${made}`, sets)?.unitMicrousd ?? 0;
            }),
          ),
        );
        expect(dearest).toBeGreaterThanOrEqual(Math.max(...possible));
        if (atNight === null) expect(dearest).toBe(Math.max(...possible));
      },
    ),
    { numRuns: 2_000 },
  );
});
