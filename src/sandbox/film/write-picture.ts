/** A colour: luma and both chromas, each 16 to 235. */
export type Colour = readonly [y: number, cb: number, cr: number];

const macroblock = 16;
/** Of `mb_type` in an I slice: raw samples; the samples above, or to the left, go on. */
const rawSamples = 25;
const fromAbove = 1;
const fromLeft = 2;

/**
 * A picture of upright bars in H.264 (baseline profile): the first macroblock of each bar is raw samples, and all others go
 * on from it, so that a picture of any size is some kilobytes. Returns a NAL unit.
 */
export function writePicture(columns: number, rows: number, bars: readonly Colour[], number: number): Uint8Array {
  const bits = new BitWriter();
  bits.whole(0, 7, 0);
  bits.bits(0, 4);
  // Two pictures in a row differ in it.
  bits.whole(number % 2);
  bits.bits(0, 2);
  bits.whole(0, 1);
  const width = Math.ceil(columns / bars.length);
  for (let at = 0; at < columns * rows; at++) {
    const [column, isFirstRow] = [at % columns, at < columns];
    const isRaw = (index: number) => index < columns && index >= 0 && (index % columns) % width === 0;
    const colour = isFirstRow && isRaw(at) ? bars[column / width] : undefined;
    if (colour !== undefined) {
      writeRaw(bits, colour);
      continue;
    }
    bits.whole(isFirstRow ? fromLeft : fromAbove, isFirstRow ? 1 : 2, 0);
    // No coefficients follow; how that is written depends on those of the neighbours, which are many in raw samples.
    const left = column > 0 ? (isRaw(at - 1) ? 16 : 0) : null;
    const above = isFirstRow ? null : isRaw(at - columns) ? 16 : 0;
    const near = left !== null && above !== null ? (left + above + 1) >> 1 : (left ?? above ?? 0);
    if (near >= 8) bits.bits(0b000011, 6);
    else bits.bits(1, 1);
  }
  return nalUnit(0x65, bits.finish());
}

function writeRaw(bits: BitWriter, [y, cb, cr]: Colour): void {
  bits.whole(rawSamples);
  bits.align();
  for (let sample = 0; sample < 256; sample++) bits.bits(y, 8);
  for (let sample = 0; sample < 64; sample++) bits.bits(cb, 8);
  for (let sample = 0; sample < 64; sample++) bits.bits(cr, 8);
}

/** The parameters of all pictures of a size in pixels: the sequence's NAL unit and the picture's. */
export function writeParameters(width: number, height: number): readonly [sequence: Uint8Array, picture: Uint8Array] {
  const columns = Math.ceil(width / macroblock);
  const rows = Math.ceil(height / macroblock);
  const sequence = new BitWriter();
  for (const byte of [66, 0xc0, 51]) sequence.bits(byte, 8);
  sequence.whole(0, 0, 2, 0);
  sequence.bits(0, 1);
  sequence.whole(columns - 1, rows - 1);
  sequence.bits(0b11, 2);
  const [right, bottom] = [columns * macroblock - width, rows * macroblock - height];
  sequence.bits(right + bottom > 0 ? 1 : 0, 1);
  if (right + bottom > 0) sequence.whole(0, right >> 1, 0, bottom >> 1);
  sequence.bits(0, 1);
  const picture = new BitWriter();
  picture.whole(0, 0);
  picture.bits(0, 2);
  picture.whole(0, 0, 0);
  picture.bits(0, 3);
  picture.whole(0, 0, 0);
  picture.bits(0b100, 3);
  return [nalUnit(0x67, sequence.finish()), nalUnit(0x68, picture.finish())];
}

/** A NAL unit: no three bytes within it are a start code. */
function nalUnit(header: number, payload: Uint8Array): Uint8Array {
  const bytes = [header];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Uint8Array.from(bytes);
}

class BitWriter {
  readonly #bytes: number[] = [];
  #byte = 0;
  #count = 0;

  bits(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#byte = (this.#byte << 1) | ((value >> bit) & 1);
      if (++this.#count < 8) continue;
      this.#bytes.push(this.#byte);
      this.#byte = this.#count = 0;
    }
  }

  /** Whole numbers in Exp-Golomb codes; 0 is also the code of a signed 0. */
  whole(...values: readonly number[]): void {
    for (const value of values) {
      const length = Math.floor(Math.log2(value + 1));
      this.bits(0, length);
      this.bits(value + 1, length + 1);
    }
  }

  align(): void {
    while (this.#count > 0) this.bits(0, 1);
  }

  finish(): Uint8Array {
    this.bits(1, 1);
    this.align();
    return Uint8Array.from(this.#bytes);
  }
}
