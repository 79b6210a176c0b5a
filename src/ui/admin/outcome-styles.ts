import { Check, CircleAlert, CircleQuestionMark, type LucideIcon, Undo2, X } from 'lucide-react';

interface Style {
  readonly Icon: LucideIcon;
  readonly colour: string;
}

/** Colour and icon of what became of a payment or a refund. */
export const outcomeStyles = {
  paid: { Icon: Check, colour: 'bg-ok-soft text-ok' },
  refunded: { Icon: Undo2, colour: 'bg-accent-soft text-accent-ink' },
  declined: { Icon: X, colour: 'bg-danger-soft text-danger' },
  unknown: { Icon: CircleQuestionMark, colour: 'bg-unknown-soft text-unknown' },
  refund_unknown: { Icon: CircleQuestionMark, colour: 'bg-unknown-soft text-unknown' },
  not_charged: { Icon: Undo2, colour: 'bg-warn-soft text-warn' },
  found_charged: { Icon: CircleAlert, colour: 'bg-unknown-soft text-unknown' },
} as const satisfies Record<string, Style>;
