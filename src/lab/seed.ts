import { z } from 'zod';

export const seedSchema = z.int().min(1).max(999_999);

/** What a seed decides. Keys and references are new in every run, because a key that was used is taken. */
export interface Seeded {
  readonly amountMinor: number;
  /** For the step that sends another amount. */
  readonly otherAmountMinor: number;
  /** A pause of about so many milliseconds: the next of a fixed sequence. */
  pauseMs(about: number): number;
}

export function seeded(seed: number): Seeded {
  const next = mulberry32(seed * 2_654_435_761);
  const amountMinor = 1_000 + Math.floor(next() * 80) * 100;
  return {
    amountMinor,
    otherAmountMinor: amountMinor * 10,
    pauseMs: (about) => Math.round(about * (0.5 + next())),
  };
}

/** A small generator with a good spread; the same seed gives the same numbers on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
