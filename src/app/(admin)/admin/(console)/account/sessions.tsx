'use client';

import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { When } from '#ui/admin/when.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { browserCopy } from './browser-copy.ts';

type SessionRow = RouterOutputs['account']['sessions'][number];

export function Sessions({ sessions }: { sessions: readonly SessionRow[] }) {
  const trpc = useTRPC();
  const one = useCommand(trpc.account.endSession.mutationOptions());
  const allOthers = useCommand(trpc.account.endOtherSessions.mutationOptions());
  const busy = one.busy || allOthers.busy;
  const failure = one.failure ?? allOthers.failure;
  const others = sessions.filter(({ current }) => !current);
  return (
    <>
      <ul aria-label="Sessions" className="divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center justify-between gap-2 py-3 first:pt-0">
            <div className="min-w-0">
              <p className="font-medium text-sm">
                {browserCopy(session.userAgent)}
                {session.current && <span className="ml-2 font-normal text-ok">this device</span>}
              </p>
              <p className="text-ink-soft text-sm">
                {session.ipAddress ?? 'Unknown address'} · since <When at={session.createdAt} />
              </p>
            </div>
            {!session.current && (
              <Button
                tone="quiet"
                size="small"
                busy={busy}
                aria-label={`Sign out ${browserCopy(session.userAgent)}`}
                onClick={() => one.run({ id: session.id })}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <Button tone="secondary" className="mt-3" busy={busy} onClick={() => allOthers.run()}>
          Sign out everywhere else
        </Button>
      )}
      {failure && <InlineError>{failure}</InlineError>}
      <p role="status" className="mt-3 text-ok text-sm empty:hidden">
        {allOthers.done && 'Done. You are signed in here only, and no other device is trusted any more.'}
      </p>
    </>
  );
}
