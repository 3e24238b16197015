import { type Colour, writeParameters, writePicture } from "./write-picture.ts";

/** A film to be written. */
export interface FilmAsked {
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}

/** Pictures in a second: enough to see that something moves. */
const perSecond = 2;
/** Units of time in a second. */
const timescale = 1_000;
const barCount = 8;

/** A film (MP4, H.264) of coloured bars that move, which are the same for the same prompt. */
export function writeFilm({ prompt, width, height, seconds }: FilmAsked): Uint8Array {
  const [columns, rows] = [Math.ceil(width / 16), Math.ceil(height / 16)];
  const colours = coloursOf(prompt);
  const count = Math.max(1, Math.round(seconds * perSecond));
  const pictures: Uint8Array[] = [];
  for (let number = 0; number < count; number++) {
    const turn = number % barCount;
    const bars = [...colours.slice(turn), ...colours.slice(0, turn)];
    const unit = writePicture(columns, rows, bars, number);
    pictures.push(joined([numbers(unit.length), unit]));
  }
  const duration = Math.round(seconds * timescale);
  const head = box("ftyp", text("isom"), numbers(512), text("isomiso2avc1mp41"));
  const movieOf = (offset: number) => movie({ width, height, duration, pictures, offset });
  const offset = head.length + movieOf(0).length + 8;
  return joined([head, movieOf(offset), box("mdat", ...pictures)]);
}

function coloursOf(prompt: string): Colour[] {
  const hash = new Bun.CryptoHasher("sha256").update(prompt).digest();
  return Array.from({ length: barCount }, (_, bar): Colour => {
    const at = (index: number, low: number, span: number) => low + ((hash[bar * 3 + index] ?? 0) % span);
    return [at(0, 60, 150), at(1, 40, 170), at(2, 40, 170)];
  });
}

interface Movie {
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  readonly pictures: readonly Uint8Array[];
  /** Where the pictures begin in the file. */
  readonly offset: number;
}

/** The boxes of ISO 14496-12 that a player needs. */
function movie({ width, height, duration, pictures, offset }: Movie): Uint8Array {
  const unity = numbers(0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000);
  const header = box(
    "mvhd",
    numbers(0, 0, 0, timescale, duration, 0x1_0000, 0x0100_0000, 0, 0),
    unity,
    numbers(0, 0, 0, 0, 0, 0, 2),
  );
  const track = box("tkhd", numbers(7, 0, 0, 1, 0, duration, 0, 0, 0, 0), unity, numbers(width << 16, height << 16));
  const media = box(
    "mdia",
    box("mdhd", numbers(0, 0, 0, timescale, duration, 0x55c4_0000)),
    box("hdlr", numbers(0, 0), text("vide"), numbers(0, 0, 0), text("bars\0")),
    box(
      "minf",
      box("vmhd", numbers(1, 0, 0)),
      box("dinf", box("dref", numbers(0, 1), box("url ", numbers(1)))),
      sampleTable({ width, height, duration, pictures, offset }),
    ),
  );
  return box("moov", header, box("trak", track, media));
}

function sampleTable({ width, height, duration, pictures, offset }: Movie): Uint8Array {
  const [sequence, picture] = writeParameters(width, height);
  const configuration = box(
    "avcC",
    Uint8Array.of(1, sequence[1] ?? 0, sequence[2] ?? 0, sequence[3] ?? 0, 0xff, 0xe1),
    short(sequence.length),
    sequence,
    Uint8Array.of(1),
    short(picture.length),
    picture,
  );
  const entry = box(
    "avc1",
    numbers(0, 1),
    numbers(0, 0, 0, 0),
    short(width),
    short(height),
    numbers(0x48_0000, 0x48_0000, 0),
    short(1),
    new Uint8Array(32),
    short(24),
    Uint8Array.of(0xff, 0xff),
    configuration,
  );
  const each = Math.floor(duration / pictures.length);
  const last = duration - each * (pictures.length - 1);
  const times = pictures.length === 1 ? [1, 1, last] : [2, pictures.length - 1, each, 1, last];
  return box(
    "stbl",
    box("stsd", numbers(0, 1), entry),
    box("stts", numbers(0, ...times)),
    box("stsc", numbers(0, 1, 1, pictures.length, 1)),
    box("stsz", numbers(0, 0, pictures.length, ...pictures.map(({ length }) => length))),
    box("stco", numbers(0, 1, offset)),
  );
}

function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  return joined([numbers(length), text(type), ...parts]);
}

/** Numbers of 32 bits. */
function numbers(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, index) => view.setUint32(index * 4, value));
  return new Uint8Array(view.buffer);
}

function short(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 255);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
