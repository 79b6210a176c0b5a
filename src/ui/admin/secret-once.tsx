'use client';

import { KeyRound } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from '../copy-button.tsx';

/** A secret that is shown once. It takes the focus, so that it is not overlooked. */
export function SecretOnce(props: { title: string; secret: string; label: string; children?: ReactNode }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section
      ref={box}
      tabIndex={-1}
      aria-label={props.title}
      className="rounded-2xl border border-ok bg-ok-soft p-4 outline-none focus-visible:ring-2 focus-visible:ring-ok sm:p-5"
    >
      <p className="flex items-center gap-2 font-medium text-ok text-sm">
        <KeyRound className="size-4 shrink-0" aria-hidden="true" />
        {props.title}
      </p>
      <div className="mt-3 flex items-center gap-2 rounded-xl border border-line bg-surface py-2 pr-4 pl-4">
        <code className="min-w-0 flex-1 break-all font-mono text-[0.8125rem]">{props.secret}</code>
        <CopyButton text={props.secret} label={props.label} />
      </div>
      {props.children && <div className="mt-3 text-ink-soft text-sm leading-6">{props.children}</div>}
    </section>
  );
}
