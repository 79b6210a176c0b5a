import Link from 'next/link';
import type { ApiResponse } from './api.ts';
import { Fields } from './field-list.tsx';

/** 202 has a colour of its own, because it is neither a success nor a failure. */
const colours: Record<string, string> = {
  '202': 'bg-unknown-soft text-unknown',
  '2': 'bg-ok-soft text-ok',
  '4': 'bg-warn-soft text-warn',
  '5': 'bg-danger-soft text-danger',
};

export function ResponseList({ responses }: { responses: readonly ApiResponse[] }) {
  return (
    <section className="mt-8">
      <h3 className="border-line border-b pb-2 font-semibold text-sm tracking-tight">Answers</h3>
      <dl>
        {responses.map((response) => (
          <div
            key={response.status}
            className="grid grid-cols-[3.25rem_1fr] gap-x-3 border-line border-b py-3.5 last:border-b-0"
          >
            <dt>
              <StatusChip status={response.status} />
            </dt>
            <dd className="min-w-0 text-ink-soft text-sm leading-6">
              {response.description}
              {response.problem && (
                <>
                  {' '}
                  <Link
                    href={`#problem-${response.status}`}
                    className="whitespace-nowrap text-accent-ink underline decoration-line-strong underline-offset-4 hover:decoration-accent"
                  >
                    Which problems
                  </Link>
                </>
              )}
              {response.fields.length > 0 && (
                <details className="group mt-1">
                  <summary className="inline-flex min-h-11 items-center font-medium text-accent-ink text-sm pointer-fine:min-h-8">
                    <span className="group-open:hidden">Show its fields</span>
                    <span className="hidden group-open:inline">Hide its fields</span>
                    <span className="sr-only"> ({response.status})</span>
                  </summary>
                  <div className="mt-1 rounded-xl border border-line px-4">
                    <Fields fields={response.fields} />
                  </div>
                </details>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function StatusChip({ status }: { status: string }) {
  return (
    <span
      className={`inline-block rounded-md px-1.5 font-medium font-mono text-xs leading-6 ${colours[status] ?? colours[status.charAt(0)] ?? 'bg-sunken'}`}
    >
      {status}
    </span>
  );
}
