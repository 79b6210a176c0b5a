import { Archive, Check, CircleDashed, CircleQuestionMark, Undo2 } from 'lucide-react';
import { findCopy } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Badge } from './badge.tsx';
import { outcomeCopy } from './operation-copy.ts';
import { outcomeStyles } from './outcome-styles.ts';

export type OperationStatus = RouterOutputs['operation']['get']['status'];

/** Label, colour and icon of each status. */
export const statusStyles = {
  unknown: { label: 'Unknown', ...outcomeStyles.unknown, Icon: CircleQuestionMark },
  in_progress: { label: 'In progress', Icon: CircleDashed, colour: 'bg-accent-soft text-accent-ink' },
  completed: { label: 'Completed', Icon: Check, colour: 'bg-ok-soft text-ok' },
  failed_retryable: { label: 'Not charged', Icon: Undo2, colour: 'bg-warn-soft text-warn' },
  expired: { label: 'Expired', Icon: Archive, colour: 'bg-sunken text-ink-soft' },
} as const satisfies Record<OperationStatus, object>;

/** The status, or what it means: a completed operation is shown by its outcome, because a decline is completed too. */
export function StatusBadge(props: {
  status: OperationStatus;
  operation: string;
  /** The state of the payment or refund itself. */
  outcome?: string | undefined;
}) {
  const { status, operation, outcome } = props;
  const style = statusStyles[status];
  // Of a refund, "Not charged" would be wrong: what did not happen is named in the terms of the operation.
  if (status === 'failed_retryable') {
    return <Badge {...style} label={findCopy(operation)?.outcomes.released ?? style.label} />;
  }
  if (status !== 'completed' || !outcome || outcome === 'pending') return <Badge {...style} />;
  return <Badge label={outcomeCopy(outcome, operation)} {...styleOf(outcome, operation)} />;
}

function styleOf(outcome: string, operation: string) {
  if (outcome !== 'succeeded') return outcomeStyles.declined;
  return findCopy(operation)?.outcomes.paysBack ? outcomeStyles.refunded : outcomeStyles.paid;
}
