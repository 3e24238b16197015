/** Reads a part of a file: from `start` up to `end`, which are within it. */
export type ReadPart = (start: number, end: number) => Promise<Uint8Array>;

/** What the boxes of an MP4 or QuickTime file say. */
export interface Mp4Facts {
  /** Whether all boxes at the top are there to their ends. */
  readonly isWhole: boolean;
  /** Null if no box says it. */
  readonly seconds: number | null;
  /** The largest of its tracks as it is shown, such as `1280x720`; null if no box says it. */
  readonly size: string | null;
}

/** Boxes that are looked at of one level, so that a hostile file ends. A film in fragments has two for each. */
const maxBoxes = 20_000;
const maxTracks = 32;
/** Larger films are not believed, in pixels of an edge. */
const maxEdge = 16_384;
/** What says to be shorter or longer than films are, in seconds, is not believed. */
const minSeconds = 0.01;
const maxSeconds = 86_400;
/** A header with the times of a film is a hundred bytes. */
const maxHeaderBytes = 256;

interface Box {
  readonly type: string;
  /** Where its content begins. */
  readonly start: number;
  readonly end: number;
}

/**
 * Reads how long a film is (ISO 14496-12, `moov/mvhd`, or `moov/mvex/mehd` of a fragmented one) and how large (`trak/tkhd`),
 * without its pictures.
 */
export async function readMp4(read: ReadPart, size: number): Promise<Mp4Facts> {
  const top = await boxesOf(read, 0, size, size);
  const movie = top.boxes.find(({ type }) => type === "moov");
  const boxes = movie === undefined ? [] : (await boxesOf(read, movie.start, Math.min(movie.end, size), size)).boxes;
  return {
    isWhole: top.isWhole && movie !== undefined && top.boxes.some(({ type }) => type === "mdat"),
    seconds: await secondsOf(read, boxes, size),
    size: await sizeOf(read, boxes, size),
  };
}

async function secondsOf(read: ReadPart, boxes: readonly Box[], size: number): Promise<number | null> {
  const header = boxes.find(({ type }) => type === "mvhd");
  if (header === undefined) return null;
  const view = await viewOf(read, header, size);
  const isLong = view.byteLength > 0 && view.getUint8(0) === 1;
  if (view.byteLength < (isLong ? 32 : 20)) return null;
  const scale = view.getUint32(isLong ? 20 : 12);
  let duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  const extension = duration === 0 ? boxes.find(({ type }) => type === "mvex") : undefined;
  if (extension !== undefined) duration = await fragmentedDuration(read, extension, size);
  const seconds = duration / scale;
  // All bits set: unknown.
  return duration === 0xff_ff_ff_ff || !(seconds >= minSeconds && seconds <= maxSeconds) ? null : seconds;
}

async function sizeOf(read: ReadPart, boxes: readonly Box[], size: number): Promise<string | null> {
  let largest = { width: 0, height: 0 };
  for (const { start, end } of boxes.filter(({ type }) => type === "trak").slice(0, maxTracks)) {
    const track = await boxesOf(read, start, Math.min(end, size), size);
    const header = track.boxes.find(({ type }) => type === "tkhd");
    if (header === undefined) continue;
    const shown = shownSize(await viewOf(read, header, size));
    if (shown.width * shown.height > largest.width * largest.height) largest = shown;
  }
  const { width, height } = largest;
  return width === 0 || Math.max(width, height) > maxEdge ? null : `${width}x${height}`;
}

/** Of a track header. One that is turned by a quarter is as high as its pictures are wide. */
function shownSize(view: DataView): { readonly width: number; readonly height: number } {
  const isLong = view.byteLength > 0 && view.getUint8(0) === 1;
  const matrixAt = isLong ? 52 : 40;
  if (view.byteLength < matrixAt + 44) return { width: 0, height: 0 };
  const isTurned = view.getInt32(matrixAt) === 0 && view.getInt32(matrixAt + 16) === 0;
  // Numbers with 16 bits after the point.
  const [width, height] = [view.getUint32(matrixAt + 36) >>> 16, view.getUint32(matrixAt + 40) >>> 16];
  return isTurned ? { width: height, height: width } : { width, height };
}

async function fragmentedDuration(read: ReadPart, extension: Box, size: number): Promise<number> {
  const { boxes } = await boxesOf(read, extension.start, Math.min(extension.end, size), size);
  const header = boxes.find(({ type }) => type === "mehd");
  if (header === undefined) return 0;
  const view = await viewOf(read, header, size);
  const isLong = view.byteLength > 0 && view.getUint8(0) === 1;
  if (view.byteLength < (isLong ? 12 : 8)) return 0;
  return isLong ? Number(view.getBigUint64(4)) : view.getUint32(4);
}

async function boxesOf(
  read: ReadPart,
  start: number,
  end: number,
  size: number,
): Promise<{ readonly boxes: readonly Box[]; readonly isWhole: boolean }> {
  const boxes: Box[] = [];
  let at = start;
  while (at + 8 <= end && boxes.length < maxBoxes) {
    const head = await viewOf(read, { type: "", start: at, end: Math.min(at + 16, end) }, size);
    const type = String.fromCodePoint(head.getUint8(4), head.getUint8(5), head.getUint8(6), head.getUint8(7));
    const short = head.getUint32(0);
    const isLong = short === 1;
    if (isLong && head.byteLength < 16) return { boxes, isWhole: false };
    // 0: to the end of the file.
    const length = isLong ? Number(head.getBigUint64(8)) : short === 0 ? end - at : short;
    const headBytes = isLong ? 16 : 8;
    if (length < headBytes) return { boxes, isWhole: false };
    boxes.push({ type, start: at + headBytes, end: at + length });
    at += length;
  }
  return { boxes, isWhole: at === end };
}

async function viewOf(read: ReadPart, { start, end }: Box, size: number): Promise<DataView> {
  const last = Math.min(end, start + maxHeaderBytes, size);
  const bytes = last > start ? await read(start, last) : new Uint8Array(0);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
