import type { RouterOutputs } from '#server/trpc/outputs.ts';
export type NumberName = keyof RouterOutputs['settings']['get']['limits'];

interface SettingCopy {
  readonly label: string;
  readonly unit: string;
  /** How many of the stored unit make one of the shown. */
  readonly factor: number;
  readonly meaning: string;
  /** What a change applies to. */
  readonly effect: string;
}

export const settingCopy: Record<NumberName, SettingCopy> = {
  leaseMs: {
    label: 'Lease',
    unit: 'seconds',
    factor: 1_000,
    meaning: 'How long a payment may be under way before its outcome is doubted and the provider is asked.',
    effect:
      'Payments that start from now on. Shorter finds out about crashes sooner; nothing is ever paid twice by it.',
  },
  replayHours: {
    label: 'Replay window',
    unit: 'hours',
    factor: 1,
    meaning:
      'How long a repeated request gets the first answer again. After that it is told that the key has expired.',
    effect: 'Payments that end from now on.',
  },
  bodyHours: {
    label: 'Answers are kept',
    unit: 'hours',
    factor: 1,
    meaning:
      'How long the stored answer itself, encrypted, is kept. Longer than the replay window it is of use to nobody.',
    effect:
      'Payments that end from now on. Earlier than the replay window, repeats are told that the key has expired.',
  },
  metadataHours: {
    label: 'Keys are remembered',
    unit: 'hours',
    factor: 1,
    meaning: 'How long it is known that a key was used. After that a request with the same key is a new one.',
    effect: 'Payments that end from now on. The payments themselves are kept for good.',
  },
};

/** "30 seconds", "24 hours", "2160 hours (90 days)". */
export function amountCopy(name: NumberName, stored: number): string {
  const { unit, factor } = settingCopy[name];
  const amount = Math.round(stored / factor);
  const text = `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`;
  return unit === 'hours' && amount >= 48 && amount % 24 === 0 ? `${text} (${amount / 24} days)` : text;
}
