'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { formatMoney, type Money } from '#payments/money.ts';
import {
  admissibilityCopy,
  assertionLabel,
  consequenceCopy,
  providerStateCopy,
} from '#ui/admin/assertion-copy.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import type { OperationStatus } from '#ui/admin/status-badge.tsx';
import { Notice } from '#ui/notice.tsx';
import { ReconcileButton } from '../reconcile-button.tsx';
import type { ResultNotice } from '../result-notice.ts';
import { assertionResultCopy } from './assertion-result-copy.ts';
import type { Examination, Member } from './operation.ts';

interface Props {
  operationId: string;
  /** Its kind. */
  operation: string;
  status: OperationStatus;
  amount: Money;
  examination: Examination | null;
  role: Member['role'];
  proposed: boolean;
}

/** What an operator may assert about an unknown outcome. An assertion that the evidence does not admit is explained. */
export function ResolvePanel(props: Props) {
  const router = useRouter();
  const [reconciled, setReconciled] = useState(false);
  const [notice, setNotice] = useState<ResultNotice>();
  const isUnknown = props.status === 'unknown';
  if (!isUnknown && !reconciled && !notice) return null;
  const may = props.role !== 'viewer';
  return (
    <Panel title="Resolve">
      <div className="grid gap-5">
        <div role="status" className="empty:hidden">
          {notice && (
            <Notice tone={notice.tone} title={notice.title}>
              {notice.body}
            </Notice>
          )}
        </div>
        {may ? (
          <div>
            {isUnknown && <p className="mb-3 text-ink-soft">Ask the provider now and record its answer.</p>}
            <ReconcileButton
              operationId={props.operationId}
              operation={props.operation}
              done={!isUnknown}
              onFound={() => {
                setReconciled(true);
                router.refresh();
              }}
            />
          </div>
        ) : (
          isUnknown && (
            <p className="text-ink-soft">
              You can only view this. Resolving it needs the operator role or above.
            </p>
          )
        )}
        {isUnknown &&
          props.examination?.admissibilities.map(({ assertion, admissibility }) => (
            <AssertionOffer
              key={assertion}
              {...props}
              may={may}
              assertion={assertion}
              admissibility={admissibility}
              onNotice={setNotice}
            />
          ))}
      </div>
    </Panel>
  );
}

type Offered = Examination['admissibilities'][number];

function AssertionOffer(props: Props & Offered & { may: boolean; onNotice: (notice: ResultNotice) => void }) {
  const { assertion, admissibility, amount, examination, operation } = props;
  if (!examination) return null;
  const override = admissibility.kind === 'override';
  const proposes = override && examination.fourEyes;
  const needsApprover = override && !examination.fourEyes && props.role === 'operator';
  const offered =
    admissibility.kind !== 'refused' && props.may && !needsApprover && !(override && props.proposed);
  const consequence = consequenceCopy(assertion, {
    admissibility,
    providerState: examination.snapshot.state,
    amount,
  });
  const label = assertionLabel(assertion);

  return (
    <div className="grid gap-3 border-line border-t pt-5 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-start">
      <div>
        <h3 className="font-medium">{label}</h3>
        <p className="mt-1 text-ink-soft leading-6">
          {admissibilityCopy(admissibility, operation)}
          {admissibility.kind !== 'refused' && ` ${consequence}`}
        </p>
        {proposes && (
          <p className="mt-1 text-ink-soft leading-6">
            {props.proposed
              ? 'There is already a proposal.'
              : 'This needs a second person: you propose, an approver decides.'}
          </p>
        )}
        {needsApprover && <p className="mt-1 text-ink-soft leading-6">This needs an approver.</p>}
      </div>
      {offered && <AssertionDialog {...props} examination={examination} />}
    </div>
  );
}

/**
 * Shows the evidence as it was when the dialog was opened. The page behind it goes on, and other evidence may turn what is proposed
 * into what is done at once: the digest of what was shown goes with the decision, which is then refused.
 */
function AssertionDialog(
  props: Props & Offered & { examination: Examination; onNotice: (notice: ResultNotice) => void },
) {
  const sending = useCommand(useTRPC().operation.resolve.mutationOptions());
  const [seen, setSeen] = useState(props);
  const { operationId, assertion, operation, onNotice } = props;
  const label = assertionLabel(assertion);
  const proposesIn = ({ admissibility, examination }: typeof props) =>
    admissibility.kind === 'override' && examination.fourEyes;
  const proposes = proposesIn(seen);
  const { admissibility, amount, examination } = seen;
  const { state } = examination.snapshot;
  const consequence = consequenceCopy(assertion, { admissibility, providerState: state, amount });

  async function resolve(reason: string): Promise<string | undefined> {
    const { digest } = examination;
    const found = await sending.send({ operationId, assertion, reason, digest, propose: proposes });
    onNotice(assertionResultCopy(operation, assertion, found));
    return undefined;
  }

  return (
    <ReasonDialog
      action={proposesIn(props) ? `Propose “${label.toLowerCase()}”` : label}
      title={`${proposes ? 'Propose: ' : ''}${label}, ${formatMoney(amount)}`}
      consequence={
        <>
          <p>
            The provider says: <strong className="text-ink">{providerStateCopy(state, operation)}</strong>.{' '}
            {admissibilityCopy(admissibility, operation)}
          </p>
          <p className="mt-2">{proposes ? `If another person approves: ${consequence}` : consequence}</p>
        </>
      }
      confirm={proposes ? 'Propose it' : label}
      reasonLabel={
        admissibility.kind === 'override'
          ? 'What proves it? (kept with the decision)'
          : 'Why? (kept with the decision)'
      }
      onOpen={() => setSeen(props)}
      onConfirm={resolve}
    />
  );
}
