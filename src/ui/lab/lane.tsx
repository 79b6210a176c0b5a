import { formatMoney, isCurrency } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Coin } from './coin.tsx';

type LaneCharge = RouterOutputs['lab']['doubleClick'][number]['charges'][number];

export function Lane(props: {
  name: string;
  explanation: string;
  kind: 'protected' | 'unprotected';
  responses: readonly string[] | undefined;
  charges: readonly LaneCharge[] | undefined;
}) {
  const { name, explanation, kind, responses, charges } = props;
  return (
    <section
      aria-label={name}
      data-lane={kind}
      className="flex flex-col rounded-3xl border border-line bg-surface p-6 shadow-card sm:p-8"
    >
      <h2 className="font-semibold text-xl tracking-tight">{name}</h2>
      <p className="mt-0.5 text-ink-soft text-sm">{explanation}</p>

      <h3 className="mt-6 mb-2 font-medium text-ink-faint text-sm">What each click was told</h3>
      <ol className="min-h-24 text-sm">
        {responses?.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a click has no other identity than its position
          <li key={index} className="flex gap-3 border-line border-b py-2 last:border-b-0">
            <span className="w-14 shrink-0 text-ink-faint tabular-nums">Click {index + 1}</span>
            <span>{text}</span>
          </li>
        )) ?? <li className="py-2 text-ink-faint">Nothing yet.</li>}
      </ol>

      <h3 className="mt-6 mb-3 font-medium text-ink-faint text-sm">
        In the provider’s ledger
        {charges && `: ${charges.length === 1 ? '1 charge' : `${charges.length} charges`}`}
      </h3>
      <ul className="flex min-h-20 flex-wrap gap-3">
        {charges?.map((charge, index) => (
          <li key={charge.id}>
            <Coin amount={amountOf(charge)} surplus={index > 0} />
            <span className="sr-only">
              {index > 0 ? 'charged again' : 'charged'}, {charge.id}
            </span>
          </li>
        )) ?? <li aria-hidden="true" className="size-20 rounded-full border-2 border-line border-dashed" />}
      </ul>
    </section>
  );
}

function amountOf({ amount, currency }: LaneCharge): string {
  return isCurrency(currency) ? formatMoney({ amountMinor: amount, currency }) : `${amount} ${currency}`;
}
