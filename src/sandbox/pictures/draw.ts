import type { Bitmap, Colour } from "./png.ts";

/** A picture to draw. */
export interface Motif {
  /** The same text always makes the same picture. */
  readonly text: string;
  readonly width: number;
  readonly height: number;
  readonly isTransparent?: boolean;
  /** Shapes that are drawn, of `shapeCount`: fewer are a draft. */
  readonly shapes?: number;
}

export const shapeCount = 6;

interface Shape {
  readonly kind: "circle" | "square" | "triangle";
  /** Its centre and its radius, in shares of the picture's lesser edge. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Draws circles, squares and triangles, in places and colours that follow from the text. */
export function draw({ text, width, height, isTransparent = false, shapes: drawn = shapeCount }: Motif): Bitmap {
  const bytes = new Bun.CryptoHasher("sha512").update(text).digest();
  const unit = Math.min(width, height);
  const shapes = Array.from({ length: drawn }, (_, index) => shapeOf(bytes.subarray(index * 4, index * 4 + 4)));
  const palette = [colourOf(bytes[60] ?? 0, 0.92), ...shapes.map((_, index) => colourOf(bytes[40 + index] ?? 0, 0.55))];
  const pixels = new Uint8Array(width * height);
  for (const [index, shape] of shapes.entries()) {
    const radius = shape.radius * unit;
    const [centreX, centreY] = [shape.x * width, shape.y * height];
    const [top, bottom] = [
      Math.max(0, Math.ceil(centreY - radius)),
      Math.min(height - 1, Math.floor(centreY + radius)),
    ];
    for (let y = top; y <= bottom; y++) {
      const reach = reachAt(shape.kind, (y - centreY) / radius) * radius;
      const from = Math.max(0, Math.ceil(centreX - reach));
      const to = Math.min(width, Math.floor(centreX + reach) + 1);
      if (from < to) pixels.fill(index + 1, y * width + from, y * width + to);
    }
  }
  return { width, height, pixels, palette, isTransparent };
}

function shapeOf(bytes: Uint8Array): Shape {
  const [kind = 0, x = 0, y = 0, radius = 0] = bytes;
  const kinds = ["circle", "square", "triangle"] as const;
  return { kind: kinds[kind % 3] ?? "circle", x: x / 255, y: y / 255, radius: 0.1 + (radius / 255) * 0.25 };
}

/** Half the width of a shape of radius 1 at a height from -1, its top, to 1. */
function reachAt(kind: Shape["kind"], height: number): number {
  if (kind === "square") return 0.8;
  return kind === "circle" ? Math.sqrt(Math.max(0, 1 - height * height)) : (height + 1) / 2;
}

/** A colour of the wheel. @param lightness from 0 to 1 */
function colourOf(angle: number, lightness: number): Colour {
  const strength = 0.75 * Math.min(lightness, 1 - lightness);
  const part = (offset: number) => {
    const place = (offset + (angle / 255) * 12) % 12;
    return Math.round(255 * (lightness - strength * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return [part(0), part(8), part(4)];
}
