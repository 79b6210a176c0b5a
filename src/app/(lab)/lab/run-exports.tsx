'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
import { CodePanel } from '#ui/docs/code-panel.tsx';
import type { CutPoint, LabLane } from '#ui/lab/lab-copy.ts';

/** The run to take away: its keys, and the same run as a Playwright test and as a shell script. */
export function RunExports(props: {
  scenario: string;
  seed: number;
  cut: CutPoint | undefined;
  keys: LabLane['keys'];
}) {
  const { scenario, seed, cut, keys } = props;
  const [open, setOpen] = useState(false);
  const exports = useQuery({
    ...useTRPC().lab.exports.queryOptions({ scenario, seed, ...(cut && { cut }) }),
    enabled: open,
  });
  return (
    <section aria-label="Take it away" className="mt-8">
      {keys.length > 0 && (
        <p className="flex flex-wrap gap-x-4">
          {keys.map(({ name, key }) => (
            <Link
              key={name}
              href={`/lab/x-ray?key=${encodeURIComponent(key)}`}
              prefetch={false}
              className="inline-flex min-h-11 items-center font-medium underline decoration-line-strong underline-offset-4 hover:decoration-accent"
            >
              X-ray key {name}
            </Link>
          ))}
        </p>
      )}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="inline-flex min-h-11 items-center rounded-lg font-medium underline decoration-line-strong underline-offset-4 hover:decoration-accent">
          This run as a Playwright test and as a curl script
        </summary>
        {exports.data ? (
          <div className="mt-3 grid gap-6 xl:grid-cols-2">
            <CodePanel title="lab.spec.js" code={exports.data.playwright} kind="shell" copy />
            <CodePanel title="lab.sh" code={exports.data.curl} kind="shell" copy />
          </div>
        ) : (
          <p className="mt-3 text-ink-soft text-sm">
            {exports.error ? 'The scripts could not be made. Close and open this to try again.' : 'Loading…'}
          </p>
        )}
      </details>
    </section>
  );
}
