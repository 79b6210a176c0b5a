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
    label: 'Payment timeout',
    unit: 'seconds',
    factor: 1_000,
    meaning: 'How long a payment may take before its outcome counts as unknown and the provider is asked.',
    effect:
      'payments that start from now on. A shorter time detects crashes sooner, and never leads to a second charge.',
  },
  replayHours: {
    label: 'Replay window',
    unit: 'hours',
    factor: 1,
    meaning: 'How long a repeated request gets the first response again. After that, the key has expired.',
    effect: 'payments that end from now on.',
  },
  bodyHours: {
    label: 'Response retention',
    unit: 'hours',
    factor: 1,
    meaning: 'How long the stored response is kept, encrypted. More than the replay window is of no use.',
    effect: 'payments that end from now on. With less than the replay window, keys expire earlier.',
  },
  metadataHours: {
    label: 'Key retention',
    unit: 'hours',
    factor: 1,
    meaning: 'How long a key is remembered. After that, a request with the same key is a new one.',
    effect: 'payments that end from now on. The payments themselves are always kept.',
  },
  idleMinutes: {
    label: 'Idle limit',
    unit: 'minutes',
    factor: 1,
    meaning: 'After this time without input in the console, members have to sign in again.',
    effect: 'all members, at once. For members of several shops the shortest limit applies.',
  },
};

/** "30 seconds", "24 hours", "2160 hours (90 days)". */
export function amountCopy(name: NumberName, stored: number): string {
  const { unit, factor } = settingCopy[name];
  const amount = Math.round(stored / factor);
  const text = `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`;
  return unit === 'hours' && amount >= 48 && amount % 24 === 0 ? `${text} (${amount / 24} days)` : text;
}
