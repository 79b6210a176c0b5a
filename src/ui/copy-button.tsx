'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useHydrated } from './use-hydrated.ts';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const hydrated = useHydrated();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    // Plain http on a LAN address has no clipboard API; the text can still be selected.
    await navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  }

  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={copy}
      disabled={!hydrated}
      aria-label={copied ? 'Copied' : label}
      className="-my-2 -mr-2.5 inline-flex size-11 items-center justify-center rounded-lg text-ink-soft hover:text-ink pointer-fine:size-9"
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
