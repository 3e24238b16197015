/**
 * Counts of durations, each at the place of its bucket, from which percentiles are read. Durations below 16 ms have a bucket each, and each
 * doubling above has eight of equal width: the middle of a bucket is at most 1/16 (6.25 %) from anything in it.
 */
export type Histogram = number[];

/** Percentiles of some durations, in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Buckets below this are of one millisecond each. */
const exact = 16;
const exactBits = 4;
/** Buckets of each doubling, and the bits that tell them apart. */
const perDoubling = 8;
const partBits = 3;
/** 24 days: whatever is longer counts as this. */
const maxMs = 2 ** 31 - 1;

/** The bucket of a duration in milliseconds; a negative one counts as 0. */
export function bucketOf(milliseconds: number): number {
  const whole = Math.min(Math.max(0, Math.round(milliseconds)), maxMs);
  if (whole < exact) return whole;
  const power = 31 - Math.clz32(whole);
  return exact + (power - exactBits) * perDoubling + ((whole >>> (power - partBits)) & (perDoubling - 1));
}

/** The middle of a bucket, in whole milliseconds. */
export function middleOf(bucket: number): number {
  if (bucket < exact) return bucket;
  const place = bucket - exact;
  const width = 2 ** (Math.floor(place / perDoubling) + exactBits - partBits);
  return width * (perDoubling + (place % perDoubling)) + width / 2;
}

export function addCount(histogram: Histogram, bucket: number, count: number): void {
  while (histogram.length <= bucket) histogram.push(0);
  histogram[bucket] = (histogram[bucket] ?? 0) + count;
}

export function addHistogram(to: Histogram, added: Histogram): void {
  for (let bucket = 0; bucket < added.length; bucket += 1) {
    const count = added[bucket] ?? 0;
    if (count !== 0) addCount(to, bucket, count);
  }
}

/** `BUCKET:COUNT,` of each bucket, in any order: texts one after another are the text of their sum. */
export function histogramText(histogram: Histogram): string {
  let text = "";
  for (let bucket = 0; bucket < histogram.length; bucket += 1) {
    const count = histogram[bucket] ?? 0;
    if (count !== 0) text += `${bucket}:${count},`;
  }
  return text;
}

const digit0 = 48;
const colon = 58;

/** Adds what such a text counts, in which a bucket may come several times; takes it off with -1. */
export function addHistogramText(histogram: Histogram, text: string, sign: 1 | -1 = 1): void {
  let bucket = 0;
  let number = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= digit0 && code < colon) number = number * 10 + (code - digit0);
    else if (code === colon) {
      bucket = number;
      number = 0;
    } else {
      addCount(histogram, bucket, sign * number);
      number = 0;
    }
  }
}

/**
 * The percentiles of what is counted, by nearest rank: p95 is the shortest duration that at least 95 % are not above. Null
 * if nothing is counted.
 */
export function percentilesOf(histogram: Histogram): Percentiles | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const at = (percent: number): number => {
    let left = Math.ceil((total * percent) / 100);
    for (const [bucket, count] of histogram.entries()) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    return 0;
  };
  return { p50: at(50), p95: at(95) };
}
