'use client';

import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';

/** A modal dialog over the page. It traps the focus, restores it, and closes with Escape. */
export function Sheet(props: {
  open: boolean;
  onClose: () => void;
  title: string;
  titleHidden?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}) {
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          {...(props.initialFocus && { initialFocus: props.initialFocus })}
          className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[76dvh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-2xl border border-line bg-surface text-ink shadow-lift outline-none"
        >
          <Dialog.Title
            className={props.titleHidden ? 'sr-only' : 'px-5 pt-5 pb-3 font-semibold text-lg tracking-tight'}
          >
            {props.title}
          </Dialog.Title>
          {props.children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
