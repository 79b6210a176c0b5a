'use client';

import { type RefObject, useEffect, useRef } from 'react';
import { isForShortcuts } from '../shortcuts/shortcuts.ts';

export interface RowActions {
  select(id: string): void;
  reconcile(id: string): void;
  showNew(): void;
}

/**
 * j and k move the focus from row to row, x and r act on the row that has it; Enter is the link's own. It is the browser's
 * focus, so a screen reader announces each row.
 */
export function useRowShortcuts(list: RefObject<HTMLElement | null>, keys: RowActions): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (!isForShortcuts(event)) return;
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-operation]') ?? [])];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      const id = rows[at]?.dataset.operation;
      switch (event.key) {
        case 'j':
        case 'k': {
          const to =
            at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + (event.key === 'j' ? 1 : -1)));
          rows[to]?.querySelector<HTMLElement>('[data-row-link]')?.focus();
          return;
        }
        case 'x':
          return id ? latest.current.select(id) : undefined;
        case 'r':
          return id ? latest.current.reconcile(id) : undefined;
        case 'n':
          return latest.current.showNew();
      }
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [list]);
}
