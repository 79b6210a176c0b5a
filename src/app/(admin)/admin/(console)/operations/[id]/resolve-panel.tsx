'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { formatMoney, type Money } from '#payments/money.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import type { OperationStatus } from '#ui/admin/status-badge.tsx';
import { claimWords, consequenceWords, sayingWords, standingWords } from '#ui/admin/verdict-copy.ts';
import { Notice } from '#ui/notice.tsx';
import { api } from '#app/trpc/client.ts';
import { ReconcileButton } from '../reconcile-button.tsx';
import type { Finding } from '../reconciled.ts';
import type { Look, Member } from './operation.ts';
import { resolutionWords } from './resolution-copy.ts';

interface Props {
  operationId: string;
  /** Its kind. */
  operation: string;
  status: OperationStatus;
  amount: Money;
  look: Look | null;
  role: Member['role'];
  proposed: boolean;
}

/** What can be said about an unknown outcome: what the evidence carries is offered, what it does not is explained. */
export function ResolvePanel(props: Props) {
  const router = useRouter();
  const [asked, setAsked] = useState(false);
  const [told, setTold] = useState<Finding>();
  const open = props.status === 'unknown';
  if (!open && !asked && !told) return null;
  const may = props.role !== 'viewer';
  return (
    <Panel title="Resolve">
      <div className="grid gap-5">
        <div role="status" className="empty:hidden">
          {told && (
            <Notice tone={told.tone} title={told.title}>
              {told.body}
            </Notice>
          )}
        </div>
        {may ? (
          <div>
            {open && (
              <p className="mb-3 text-ink-soft">Have the provider asked, and what it proves written down.</p>
            )}
            <ReconcileButton
              operationId={props.operationId}
              operation={props.operation}
              done={!open}
              onFound={() => {
                setAsked(true);
                router.refresh();
              }}
            />
          </div>
        ) : (
          open && (
            <p className="text-ink-soft">You can look. Acting on it takes the role of operator or above.</p>
          )
        )}
        {open &&
          props.look?.standings.map(({ claim, standing }) => (
            <Offer key={claim} {...props} may={may} claim={claim} standing={standing} onTold={setTold} />
          ))}
      </div>
    </Panel>
  );
}

type Offered = Look['standings'][number];

function Offer(props: Props & Offered & { may: boolean; onTold: (told: Finding) => void }) {
  const router = useRouter();
  const { claim, standing, amount, look } = props;
  if (!look) return null;
  const override = standing.kind === 'override';
  const alone = override && !look.fourEyes;
  const proposes = override && look.fourEyes;
  const barred = alone && props.role === 'operator';
  const offered = standing.kind !== 'refused' && props.may && !barred && !(override && props.proposed);
  const consequence = consequenceWords(claim, standing, look.sighting.says, amount);

  async function say(reason: string): Promise<string | undefined> {
    if (!look) return undefined;
    const ask = { operationId: props.operationId, claim, reason, digest: look.digest };
    props.onTold(resolutionWords(claim, await api.operation.resolve.mutate(ask)));
    router.refresh();
    return undefined;
  }

  return (
    <div className="grid gap-3 border-line border-t pt-5 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-start">
      <div>
        <h3 className="font-medium">{claimWords[claim]}</h3>
        <p className="mt-1 text-ink-soft leading-6">
          {standingWords(standing)}
          {standing.kind !== 'refused' && ` ${consequence}`}
        </p>
        {proposes && (
          <p className="mt-1 text-ink-soft leading-6">
            {props.proposed
              ? 'It has been proposed already.'
              : 'It takes a second person: you propose, an approver decides.'}
          </p>
        )}
        {barred && <p className="mt-1 text-ink-soft leading-6">Overriding the evidence takes an approver.</p>}
      </div>
      {offered && (
        <ReasonDialog
          action={proposes ? `Propose “${claimWords[claim].toLowerCase()}”` : claimWords[claim]}
          title={`${proposes ? 'Propose: ' : ''}${claimWords[claim]}, ${formatMoney(amount)}`}
          consequence={
            <>
              <p>
                The provider says: <strong className="text-ink">{sayingWords(look.sighting.says)}</strong>.{' '}
                {standingWords(standing)}
              </p>
              <p className="mt-2">{proposes ? `If somebody else approves: ${consequence}` : consequence}</p>
            </>
          }
          confirm={proposes ? 'Propose it' : claimWords[claim]}
          reasonLabel={
            override ? 'What proves it? (kept with the decision)' : 'Why? (kept with the decision)'
          }
          onConfirm={say}
        />
      )}
    </div>
  );
}
