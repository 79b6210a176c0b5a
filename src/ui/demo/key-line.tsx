import { KeyRound } from 'lucide-react';

export function KeyLine({ idempotencyKey }: { idempotencyKey: string | undefined }) {
  return (
    <p className="flex h-10 items-center gap-2 rounded-xl bg-sunken px-3.5 text-[0.8125rem]">
      <KeyRound className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      <span className="shrink-0 text-ink-soft">Key</span>
      <code data-reading="key" className="min-w-0 truncate font-mono">
        {idempotencyKey ?? '…'}
      </code>
    </p>
  );
}
