import { ArrowRight } from 'lucide-react';
import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { formatAge } from '../format-duration.ts';
import { Link } from './link.tsx';

const tones = { accent: 'text-accent-ink', unknown: 'text-unknown', warn: 'text-warn' } as const;

/** A count of open operations that links to the list of them. Without colour when it is zero. */
export function CountTile(props: {
  name: string;
  /** Shown when the count is zero. */
  empty: string;
  href: string;
  tone: keyof typeof tones;
  open: RouterOutputs['overview']['open']['unknown'];
}) {
  const { count, money, oldestAgeMs } = props.open;
  return (
    <Link
      href={props.href}
      className="group flex flex-col rounded-2xl border border-line bg-surface p-5 shadow-card transition hover:border-line-strong"
    >
      <span className="flex items-center justify-between font-medium text-sm">
        {props.name}
        <ArrowRight
          className="size-4 text-ink-faint transition group-hover:translate-x-0.5"
          aria-hidden="true"
        />
      </span>
      <span
        className={`money mt-2 font-semibold text-4xl tracking-[-0.03em] ${count > 0 ? tones[props.tone] : ''}`}
      >
        {count.toLocaleString('en-US')}
      </span>
      <span className="mt-1 text-ink-soft text-sm">
        {count === 0 ? props.empty : money.map((each) => formatMoney(each)).join(' · ') || 'No amount yet'}
      </span>
      <span className="mt-3 border-line border-t pt-3 text-ink-faint text-xs tabular-nums">
        {oldestAgeMs === null ? 'None open' : `Oldest: ${formatAge(oldestAgeMs)}`}
      </span>
    </Link>
  );
}
