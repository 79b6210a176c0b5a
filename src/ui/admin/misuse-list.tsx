import { ShieldAlert } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { When } from './when.tsx';

type RecordedMisuse = RouterOutputs['operation']['get']['misuses'][number];

/** Uses of this key for another command. Names of fields only: the values are not stored. */
export function MisuseList({ misuses }: { misuses: readonly RecordedMisuse[] }) {
  return (
    <ul className="grid gap-3">
      {misuses.map((misuse) => (
        <li key={`${misuse.kind}:${misuse.fields.join()}`} className="flex gap-3">
          <ShieldAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden="true" />
          <div className="min-w-0">
            <p>
              <MisuseText misuse={misuse} />
            </p>
            <p className="mt-0.5 text-ink-faint">
              {misuse.times === 1 ? 'Once' : `${misuse.times} times, last`} <When at={misuse.lastAt} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function MisuseText({ misuse }: { misuse: RecordedMisuse }) {
  if (misuse.kind === 'principal') return 'Another caller used this key.';
  if (misuse.fields.length === 0)
    return 'The key was sent again with another command; which fields differed is not known.';
  return (
    <>
      The key was sent again with another{' '}
      {misuse.fields.map((field, index) => (
        <span key={field}>
          {index > 0 && (index === misuse.fields.length - 1 ? ' and ' : ', ')}
          <code className="font-mono text-[0.8125rem]">{field}</code>
        </span>
      ))}
      .
    </>
  );
}
