import type { Metadata } from 'next';
import Link from 'next/link';
import { PageShell } from '#ui/page-shell.tsx';
import { problems } from './problem-table.ts';

export const metadata: Metadata = { title: 'Problems' };

export default function ProblemsPage() {
  return (
    <PageShell width="max-w-4xl">
      <h1 className="font-semibold text-4xl tracking-[-0.03em]">Problems, explained</h1>
      <p className="mt-3 max-w-[60ch] text-ink-soft text-lg leading-8">
        Everything the API can say instead of an answer. Each problem’s{' '}
        <code className="font-mono text-base">type</code> is the address of its page here.
      </p>
      <ul className="mt-8 divide-y divide-line border-line border-y">
        {problems.map((problem) => (
          <li key={problem.code}>
            <Link
              href={`/problems/${problem.code}`}
              className="group grid gap-x-6 py-4 hover:bg-sunken sm:-mx-4 sm:grid-cols-[3rem_1fr] sm:rounded-lg sm:px-4"
            >
              <span className="font-mono text-ink-faint text-sm leading-6">{problem.http}</span>
              <span>
                <span className="block font-medium underline decoration-transparent underline-offset-4 group-hover:decoration-line-strong">
                  {problem.title}
                </span>
                <span className="block break-all font-mono text-ink-faint text-xs leading-5">
                  {problem.code}
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </PageShell>
  );
}
