import { Notice } from './notice.tsx';

export interface ProblemText {
  readonly code: string;
  readonly http: number;
  readonly title: string;
  readonly explanation: string;
  readonly action: string;
  readonly newKey: 'safe' | 'unsafe';
}

export function ProblemSheet({ problem }: { problem: ProblemText }) {
  return (
    <article className="mt-4">
      <p className="flex flex-wrap items-center gap-3 font-mono text-ink-soft text-sm">
        <span className="rounded-md bg-sunken px-2 py-1">HTTP {problem.http}</span>
        <span className="break-all">{problem.code}</span>
      </p>
      <h1 className="mt-4 font-semibold text-3xl leading-tight tracking-[-0.025em] sm:text-4xl">
        {problem.title}
      </h1>
      <h2 className="mt-10 font-semibold tracking-tight">What happened</h2>
      <p className="mt-1.5 max-w-[62ch] text-ink-soft leading-7">{problem.explanation}</p>
      <h2 className="mt-8 font-semibold tracking-tight">What to do</h2>
      <p className="mt-1.5 max-w-[62ch] text-ink-soft leading-7">{problem.action}</p>
      <h2 className="mt-8 mb-3 font-semibold tracking-tight">Is a new key safe?</h2>
      {problem.newKey === 'safe' ? (
        <Notice tone="ok" title="Yes." className="max-w-[62ch]">
          It is certain that nothing took effect under this key, so the same request under a new key cannot
          happen twice.
        </Notice>
      ) : (
        <Notice tone="danger" title="No. Keep the key you have." className="max-w-[62ch]">
          Something under this key may have taken effect, or still may. The same request under a new key could
          happen a second time.
        </Notice>
      )}
    </article>
  );
}
