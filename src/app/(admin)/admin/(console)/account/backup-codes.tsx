'use client';

import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';

/** For signing in without the phone. They are shown once. */
export function BackupCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  function download() {
    const text = `Paidonce backup codes. Each works once.\n\n${codes.join('\n')}\n`;
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'paidonce-backup-codes.txt';
    link.click();
    URL.revokeObjectURL(url);
  }

  return (
    <div className="max-w-xl">
      <h3 ref={heading} tabIndex={-1} className="font-medium outline-none">
        The second factor is on. Save these backup codes
      </h3>
      <p className="mt-1 text-ink-soft text-sm leading-6">
        Each lets you in once, without the app. They are not shown again, and earlier ones no longer work.
      </p>
      <div className="mt-3 rounded-xl bg-sunken p-4">
        <div className="flex justify-end">
          <CopyButton text={codes.join('\n')} label="Copy the backup codes" />
        </div>
        <ul aria-label="Backup codes" className="grid grid-cols-1 gap-y-1.5 font-mono text-sm sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button onClick={download} tone="secondary">
          <Download className="size-4" aria-hidden="true" />
          Download
        </Button>
        <Button onClick={onSaved}>I have saved them</Button>
      </div>
    </div>
  );
}
