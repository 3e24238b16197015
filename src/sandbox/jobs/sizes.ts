/** Width and height in pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** The pixels of an aspect ratio such as `16:9`: 1024 on the longer side. Null if it is none. */
export function pixelsOfRatio(ratio: string): Pixels | null {
  const [, across, down] = /^(\d{1,2}):(\d{1,2})$/.exec(ratio) ?? [];
  const [width, height] = [Number(across), Number(down)];
  if (!(width > 0 && height > 0)) return null;
  const longer = Math.max(width, height);
  return { width: Math.round((1024 * width) / longer), height: Math.round((1024 * height) / longer) };
}
