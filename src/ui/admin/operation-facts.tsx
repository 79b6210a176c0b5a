import type { ReactNode } from 'react';
import { Moment } from '../moment.tsx';
import { codeWords } from './code-words.ts';
import type { OperationRow } from './operation-rows.tsx';

export interface OperationDetails extends Omit<OperationRow, 'payment'> {
  readonly operation: string;
  readonly payment: { readonly id: string; readonly status: string; readonly intentId: string | null } | null;
}

/** What an operator needs to find the same thing elsewhere: in the shop, in the logs, at the provider. */
export function OperationFacts({ operation }: { operation: OperationDetails }) {
  const { payment } = operation;
  return (
    <dl className="mt-5 grid gap-x-8 gap-y-4 rounded-2xl border border-line bg-surface px-5 py-5 text-sm shadow-card sm:grid-cols-2 sm:px-7 lg:grid-cols-3">
      <Fact name="Kind">{operationWords(operation.operation)}</Fact>
      {payment && <Fact name="Outcome">{capital(payment.status)}</Fact>}
      <Fact name="Began">
        <Moment at={operation.createdAt} />
      </Fact>
      <Fact name="Key" mono>
        {operation.key}
      </Fact>
      <Fact name="Operation" mono>
        {operation.id}
      </Fact>
      {payment?.intentId && (
        <Fact name="At the provider" mono>
          {payment.intentId}
        </Fact>
      )}
      {/* Once it is completed, why it was not before is history, and told below. */}
      {operation.errorCode && operation.status !== 'completed' && (
        <Fact name="Why">{codeWords(operation.errorCode)}</Fact>
      )}
    </dl>
  );
}

function Fact({ name, mono = false, children }: { name: string; mono?: boolean; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-faint text-xs">{name}</dt>
      <dd className={`mt-0.5 ${mono ? 'break-all font-mono text-[0.8125rem]' : ''}`}>{children}</dd>
    </div>
  );
}

const operations = new Map([
  ['payment.create', 'Payment'],
  ['refund.create', 'Refund'],
]);

function operationWords(operation: string): string {
  return operations.get(operation) ?? operation;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
