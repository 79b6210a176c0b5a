'use client';

import { useQuery } from '@tanstack/react-query';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import { When } from '#ui/admin/when.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

/** Another operator may have paused or resumed them. */
const pollMs = 10_000;

function useCheckPause() {
  const query = useTRPC().checks.pause.queryOptions();
  return {
    key: query.queryKey,
    ...useQuery({ ...query, refetchInterval: pollMs, refetchOnWindowFocus: 'always' }),
  };
}

/** On every page while the automatic checks of the shop are paused. */
export function CheckPauseBanner({ mayAct }: { mayAct: boolean }) {
  const { data: pause, refetch } = useCheckPause();
  const resume = useCommand(
    useTRPC().checks.resume.mutationOptions({ onSuccess: async () => void (await refetch()) }),
  );
  return (
    <div role="status" className="empty:hidden">
      {pause && (
        <div className="border-line border-b bg-warn-soft">
          <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-4 gap-y-2 px-5 py-2.5 text-sm sm:px-8">
            <p className="min-w-0 flex-1 text-ink wrap-anywhere">
              <strong className="font-medium text-warn">Automatic checks are paused</strong>, and unknown
              operations wait until they are resumed. Since <When at={pause.since} />, by {pause.by}: “
              {pause.reason}”
            </p>
            {mayAct && (
              <Button tone="secondary" size="small" busy={resume.busy} onClick={() => resume.run()}>
                Resume checks
              </Button>
            )}
            {resume.failure && <InlineError>{resume.failure}</InlineError>}
          </div>
        </div>
      )}
    </div>
  );
}

/** For an incident at the bank, when each check would only fail. */
export function PauseChecks() {
  const { data: pause, refetch } = useCheckPause();
  const stop = useCommand(
    useTRPC().checks.stop.mutationOptions({ onSuccess: async () => void (await refetch()) }),
  );
  if (pause) return null;
  return (
    <ReasonDialog
      action="Pause checks"
      tone="quiet"
      title="Pause the automatic checks?"
      consequence="The provider is no longer asked about the unknown operations of this shop, until an operator resumes the checks. Webhooks and operators still resolve them. All pages of the console say so meanwhile."
      confirm="Pause checks"
      reasonLabel="Why? (shown on every page)"
      onConfirm={async (reason) => {
        await stop.send({ reason });
        return undefined;
      }}
    />
  );
}
