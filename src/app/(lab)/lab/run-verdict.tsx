import type { LabRun } from '#ui/lab/lab-copy.ts';
import { Notice, type Tone } from '#ui/notice.tsx';

/** The result in one sentence, from the bank's ledger. */
export function RunVerdict(props: { run: LabRun | undefined; busy: boolean; lesson: string }) {
  const { tone, title, body, mark } = verdictOf(props);
  return (
    <div role="status" data-verdict={mark} className="mt-6">
      <Notice tone={tone} title={title}>
        {body}
      </Notice>
    </div>
  );
}

function verdictOf({ run, busy, lesson }: { run: LabRun | undefined; busy: boolean; lesson: string }): {
  tone: Tone;
  title: string;
  body: string;
  mark: 'none' | 'running' | 'kept' | 'broken' | 'failed';
} {
  if (busy) {
    const body = 'This takes a few seconds.';
    return { tone: 'busy', title: 'Running in both lanes…', body, mark: 'running' };
  }
  if (!run) {
    const body =
      'Both lanes get the same fault, for real: real requests, a real provider process, a real database. The bank’s own ledger decides. Only test cards are charged.';
    return { tone: 'plain', title: 'Press Run to see it happen.', body, mark: 'none' };
  }
  if (!run.verdict) {
    const body = run.error ?? 'The run did not finish.';
    return { tone: 'warn', title: 'This run did not finish. Run it again.', body, mark: 'failed' };
  }
  const { kept, naiveAsExpected, sentence } = run.verdict;
  const body = naiveAsExpected
    ? lesson
    : 'The lane without Paidonce did not behave as this scenario says; run it again on an idle machine.';
  return { tone: kept ? 'ok' : 'danger', title: sentence, body, mark: kept ? 'kept' : 'broken' };
}
