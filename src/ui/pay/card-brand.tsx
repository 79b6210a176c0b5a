import { CreditCard } from 'lucide-react';

/** The mark of a card's brand, which is the first word of its label. The label says it too, so the mark is decoration. */
export function CardBrand({ label }: { label: string }) {
  const Mark = marks.get(label.split(' ')[0]?.toLowerCase() ?? '');
  return (
    <span aria-hidden="true" className="grid h-6 w-9.5 shrink-0 place-items-center">
      {Mark ? <Mark /> : <CreditCard className="size-4.5 text-ink-faint" />}
    </span>
  );
}

const frame = 'h-6 w-9.5 rounded-[5px] border border-line-strong bg-white';

function Visa() {
  return (
    <svg viewBox="0 0 38 24" className={frame} aria-hidden="true">
      <text
        x="19"
        y="16.2"
        textAnchor="middle"
        fontSize="12"
        fontWeight="800"
        fontStyle="italic"
        letterSpacing="-0.4"
        fill="#1434cb"
      >
        VISA
      </text>
    </svg>
  );
}

function Mastercard() {
  return (
    <svg viewBox="0 0 38 24" className={frame} aria-hidden="true">
      <circle cx="15" cy="12" r="7" fill="#eb001b" />
      <circle cx="23" cy="12" r="7" fill="#f79e1b" />
      <path d="M19 6.26a7 7 0 0 1 0 11.48 7 7 0 0 1 0-11.48Z" fill="#ff5f00" />
    </svg>
  );
}

function AmericanExpress() {
  return (
    <svg viewBox="0 0 38 24" className={frame} aria-hidden="true">
      <rect width="38" height="24" fill="#016fd0" />
      <text x="19" y="15.6" textAnchor="middle" fontSize="10" fontWeight="800" fill="#fff">
        AMEX
      </text>
    </svg>
  );
}

const marks = new Map([
  ['visa', Visa],
  ['mastercard', Mastercard],
  ['american', AmericanExpress],
]);
