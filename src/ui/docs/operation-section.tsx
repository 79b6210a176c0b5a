import type { ApiOperation } from './api.ts';
import { CodePanel } from './code-panel.tsx';
import { FieldList } from './field-list.tsx';
import { MethodLine } from './method-line.tsx';
import { ResponseList } from './response-list.tsx';

/** The description on the left and the example on the right; on a phone one below the other. */
export function OperationSection({ operation }: { operation: ApiOperation }) {
  return (
    <section
      id={operation.id}
      aria-labelledby={`${operation.id}-title`}
      className="grid scroll-mt-6 gap-x-10 gap-y-8 border-line border-t py-12 xl:grid-cols-[1fr_30rem]"
    >
      <div className="min-w-0">
        <h2 id={`${operation.id}-title`} className="font-semibold text-2xl tracking-tight">
          {operation.summary}
        </h2>
        <div className="mt-3">
          <MethodLine method={operation.method} path={operation.path} />
        </div>
        {operation.description && (
          <p className="mt-4 max-w-[62ch] text-ink-soft leading-7">{operation.description}</p>
        )}
        <FieldList title="Headers" fields={operation.headers} />
        <FieldList title="Parameters" fields={operation.parameters} />
        <FieldList title="Body" fields={operation.body} />
        <ResponseList responses={operation.responses} />
      </div>
      <div className="min-w-0">
        <div className="grid gap-5 xl:sticky xl:top-6">
          <CodePanel title={`${operation.summary}: request`} code={operation.curl} kind="shell" copy />
          <CodePanel title={`${operation.summary}: answer`} code={operation.response} kind="json" />
        </div>
      </div>
    </section>
  );
}
