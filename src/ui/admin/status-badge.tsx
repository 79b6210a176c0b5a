import { Archive, Check, CircleDashed, CircleQuestionMark, Undo2 } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

export type OperationStatus = RouterOutputs['operation']['get']['status'];

/** Label, colour and icon of each status. */
export const statusStyles = {
  unknown: { label: 'Unknown', Icon: CircleQuestionMark, colour: 'bg-unknown-soft text-unknown' },
  in_progress: { label: 'In progress', Icon: CircleDashed, colour: 'bg-accent-soft text-accent-ink' },
  completed: { label: 'Completed', Icon: Check, colour: 'bg-ok-soft text-ok' },
  failed_retryable: { label: 'Released', Icon: Undo2, colour: 'bg-warn-soft text-warn' },
  expired: { label: 'Expired', Icon: Archive, colour: 'bg-sunken text-ink-soft' },
} as const satisfies Record<OperationStatus, object>;

export function StatusBadge({ status }: { status: OperationStatus }) {
  const { label, Icon, colour } = statusStyles[status];
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap rounded-full py-0.5 pr-2.5 pl-2 font-medium text-xs leading-5 ${colour}`}
    >
      <Icon className="size-3.5" strokeWidth={2.5} aria-hidden="true" />
      {label}
    </span>
  );
}
