import { ArrowLeft } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { PageShell } from '#ui/page-shell.tsx';
import { ProblemSheet } from '#ui/problem-sheet.tsx';
import { findProblem } from '../problem-table.ts';

interface Props {
  readonly params: Promise<{ code: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: findProblem((await params).code)?.title ?? 'Problem' };
}

export default async function ProblemPage({ params }: Props) {
  const problem = findProblem((await params).code);
  if (!problem) notFound();
  return (
    <PageShell width="max-w-3xl">
      <Link
        href="/problems"
        className="-ml-3 inline-flex min-h-11 items-center gap-2 rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden="true" />
        All problems
      </Link>
      <ProblemSheet problem={problem} />
    </PageShell>
  );
}
