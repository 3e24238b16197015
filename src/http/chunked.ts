/** The max size of chunk extensions and trailers together, in bytes. */
const maxExtraBytes = 65_536;
/** A size of so many hexadecimal digits is still exact as a number. */
const maxSizeDigits = 13;

const carriageReturn = 13;
const lineFeed = 10;

/** The state of a chunked body. The first four are seen from outside. */
export const ChunkState = {
  /** More bytes are needed to go on. */
  framing: 0,
  /** `size` bytes of data are next. */
  data: 1,
  end: 2,
  invalid: 3,
} as const;

const enum Step {
  size,
  afterSize,
  extension,
  sizeLineFeed,
  dataReturn,
  dataLineFeed,
  trailerStart,
  trailer,
  trailerLineFeed,
  endLineFeed,
}

/** Reads the framing of a chunked body, byte by byte, wherever packets end. */
export class ChunkFraming {
  state: number = ChunkState.framing;
  /** Bytes of the chunk that is next, if `state` is `data`. */
  size = 0;
  private step: Step = Step.size;
  private digits = 0;
  private extra = 0;
  private readonly allowSpace: boolean;

  /** @param allowSpace whether spaces may stand behind a size, as some servers write them */
  constructor(allowSpace: boolean) {
    this.allowSpace = allowSpace;
  }

  /** Begins a new body. */
  reset(): void {
    this.state = ChunkState.framing;
    this.size = 0;
    this.step = Step.size;
    this.digits = 0;
    this.extra = 0;
  }

  /** Reads framing from `at` on and returns where it stopped. Call it at the body's start and after the data of each chunk. */
  read(input: Uint8Array, at: number): number {
    this.state = ChunkState.framing;
    for (let index = at; index < input.length; index++) {
      const byte = input[index] ?? 0;
      switch (this.step) {
        case Step.size: {
          const digit = hexDigit(byte);
          if (digit >= 0) {
            if (this.digits === maxSizeDigits) return this.fail(index);
            this.size = this.size * 16 + digit;
            this.digits++;
            break;
          }
          if (this.digits === 0) return this.fail(index);
          if (byte === carriageReturn) this.step = Step.sizeLineFeed;
          else if (byte === 59) this.step = Step.extension;
          else if (this.allowSpace && (byte === 32 || byte === 9)) this.step = Step.afterSize;
          else return this.fail(index);
          break;
        }
        case Step.afterSize:
          if (++this.extra > maxExtraBytes) return this.fail(index);
          if (byte === carriageReturn) this.step = Step.sizeLineFeed;
          else if (byte === 59) this.step = Step.extension;
          else if (byte !== 32 && byte !== 9) return this.fail(index);
          break;
        case Step.extension:
          if (++this.extra > maxExtraBytes) return this.fail(index);
          if (byte === carriageReturn) this.step = Step.sizeLineFeed;
          else if (isControl(byte)) return this.fail(index);
          break;
        case Step.sizeLineFeed:
          if (byte !== lineFeed) return this.fail(index);
          this.digits = 0;
          if (this.size > 0) {
            this.step = Step.dataReturn;
            this.state = ChunkState.data;
            return index + 1;
          }
          this.step = Step.trailerStart;
          break;
        case Step.dataReturn:
          if (byte !== carriageReturn) return this.fail(index);
          this.step = Step.dataLineFeed;
          break;
        case Step.dataLineFeed:
          if (byte !== lineFeed) return this.fail(index);
          this.size = 0;
          this.step = Step.size;
          break;
        case Step.trailerStart:
          this.step = byte === carriageReturn ? Step.endLineFeed : Step.trailer;
          if (isControl(byte) && byte !== carriageReturn) return this.fail(index);
          if (++this.extra > maxExtraBytes) return this.fail(index);
          break;
        case Step.trailer:
          if (++this.extra > maxExtraBytes) return this.fail(index);
          if (byte === carriageReturn) this.step = Step.trailerLineFeed;
          else if (isControl(byte)) return this.fail(index);
          break;
        case Step.trailerLineFeed:
          if (byte !== lineFeed) return this.fail(index);
          this.step = Step.trailerStart;
          break;
        case Step.endLineFeed:
          if (byte !== lineFeed) return this.fail(index);
          this.state = ChunkState.end;
          return index + 1;
      }
    }
    return input.length;
  }

  private fail(at: number): number {
    this.state = ChunkState.invalid;
    return at;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function isControl(byte: number): boolean {
  return (byte < 32 && byte !== 9) || byte === 127;
}
