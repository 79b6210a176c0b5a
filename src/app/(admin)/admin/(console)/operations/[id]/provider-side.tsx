import { serverApi } from '#app/trpc/server.ts';
import type { Money } from '#payments/money.ts';
import { providerStateCopy } from '#ui/admin/assertion-copy.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { SidesTable } from '#ui/admin/sides-table.tsx';
import { Notice } from '#ui/notice.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import type { Examination, Member, Operation } from './operation.ts';
import { ResolvePanel } from './resolve-panel.tsx';

/** Streamed in when the provider has responded, a moment later than the rest of the page. */
export async function ProviderSide(props: {
  operation: Operation;
  amount: Money;
  role: Member['role'];
  proposed: boolean;
}) {
  const { operation } = props;
  const api = await serverApi();
  const examination = await api.operation.examine({ operationId: operation.id }).catch(() => null);
  return (
    <>
      <Panel title="Our record and the provider’s" aside="Asked just now" bare>
        {examination?.sides ? (
          <SidesTable sides={examination.sides} operation={operation.operation} />
        ) : (
          <NoResponse snapshot={examination?.snapshot} operation={operation.operation} />
        )}
      </Panel>
      <ResolvePanel
        operationId={operation.id}
        operation={operation.operation}
        status={operation.status}
        amount={props.amount}
        examination={examination}
        role={props.role}
        proposed={props.proposed}
      />
    </>
  );
}

function NoResponse(props: { snapshot: Examination['snapshot'] | undefined; operation: string }) {
  const { snapshot, operation } = props;
  if (snapshot?.state === 'refused') {
    return (
      <Notice tone="unknown" title={`${providerStateCopy('refused', operation)}.`}>
        {codeCopy(snapshot.code ?? '')}. That proves nothing about what happened.
      </Notice>
    );
  }
  if (snapshot?.state === 'missing')
    return <Notice tone="plain" title="There is nothing to ask the provider about." />;
  return (
    <Notice tone="unknown" title="The provider did not answer.">
      {snapshot?.code ? `${codeCopy(snapshot.code)}. ` : ''}Its record is not known at the moment. No answer
      does not prove that nothing happened.
    </Notice>
  );
}

export function ProviderSideLoading() {
  return (
    <Panel title="Our record and the provider’s" aside="Asking the provider…" bare>
      <div role="status" className="rounded-2xl border border-line bg-surface px-5 py-4 shadow-card">
        <span className="sr-only">Asking the provider</span>
        {['a', 'b', 'c', 'd', 'e'].map((row) => (
          <div key={row} className="flex gap-6 py-2.5">
            <Skeleton className="h-5 w-24" />
            <Skeleton className="h-5 flex-1" />
            <Skeleton className="h-5 flex-1" />
          </div>
        ))}
      </div>
    </Panel>
  );
}
