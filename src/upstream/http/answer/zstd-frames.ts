const magic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;

const enum Step {
  magic,
  skippableSize,
  descriptor,
  blockHeader,
}

/**
 * Follows the frames of a zstd body (RFC 8878, section 3.1) and tells whether it may end at the current byte: Bun's decompressor takes a
 * body that is cut for a whole one.
 */
export class ZstdFrames {
  private step: Step = Step.magic;
  /** Bytes of a field of several, the lowest first. */
  private value = 0;
  private read = 0;
  /** Bytes that say nothing of where the frame ends. */
  private skip = 0;
  private hasChecksum = false;

  /** Whether no frame is open. */
  get complete(): boolean {
    return this.step === Step.magic && this.read === 0 && this.skip === 0;
  }

  give(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.skip > 0) {
        const skipped = Math.min(this.skip, bytes.length - at);
        this.skip -= skipped;
        at += skipped - 1;
        continue;
      }
      this.value += (bytes[at] ?? 0) * 256 ** this.read;
      this.read++;
      if (this.read === sizes[this.step]) this.field(this.value);
    }
  }

  private field(value: number): void {
    this.value = 0;
    this.read = 0;
    switch (this.step) {
      case Step.magic:
        // Anything else is an error, which the decompressor reports.
        if (value === magic) this.step = Step.descriptor;
        else if (value - (value % 16) === skippableMagic) this.step = Step.skippableSize;
        return;
      case Step.skippableSize:
        this.skip = value;
        this.step = Step.magic;
        return;
      case Step.descriptor: {
        const isSingleSegment = (value & 32) !== 0;
        const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][value >> 6] ?? 0;
        const dictionary = [0, 1, 2, 4][value & 3] ?? 0;
        this.skip = (isSingleSegment ? 0 : 1) + dictionary + contentSize;
        this.hasChecksum = (value & 4) !== 0;
        this.step = Step.blockHeader;
        return;
      }
      case Step.blockHeader: {
        const isRun = ((value >> 1) & 3) === 1;
        this.skip = isRun ? 1 : value >> 3;
        if ((value & 1) === 0) return;
        this.skip += this.hasChecksum ? 4 : 0;
        this.step = Step.magic;
      }
    }
  }
}

/** Bytes of each step's field. */
const sizes: Readonly<Record<Step, number>> = {
  [Step.magic]: 4,
  [Step.skippableSize]: 4,
  [Step.descriptor]: 1,
  [Step.blockHeader]: 3,
};
