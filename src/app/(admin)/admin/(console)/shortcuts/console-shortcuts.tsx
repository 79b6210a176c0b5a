'use client';

import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { consoleSections } from '#ui/admin/console-sections.ts';
import { useOpenPage } from '#ui/admin/linked-shop.tsx';
import { Palette } from './palette.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { isForShortcuts } from './shortcuts.ts';

/** A `g` waits this long for the letter after it. */
const secondKeyMs = 1_500;

/** The shortcuts of every page: the palette, the search, the list of shortcuts, and `g` with the letter of a section. */
export function ConsoleShortcuts() {
  const openPage = useOpenPage();
  const [sheet, setSheet] = useState<'palette' | 'help'>();

  useEffect(() => {
    let goingUntil = 0;
    function onKeyDown(event: KeyboardEvent) {
      if (
        (event.ctrlKey || event.metaKey) &&
        !event.shiftKey &&
        !event.altKey &&
        event.key.toLowerCase() === 'k'
      ) {
        event.preventDefault();
        setSheet((before) => (before === 'palette' ? undefined : 'palette'));
        return;
      }
      if (!isForShortcuts(event)) return;
      const going = performance.now() < goingUntil;
      goingUntil = 0;
      const section = going && consoleSections.find(({ letter }) => letter === event.key);
      if (section) {
        event.preventDefault();
        // The rows have shortcuts of their own: the second letter is not one of them.
        event.stopImmediatePropagation();
        openPage(section.href);
      } else if (event.key === 'g') goingUntil = performance.now() + secondKeyMs;
      else if (event.key === '?') setSheet('help');
      else if (event.key === '/') {
        event.preventDefault();
        const search = document.querySelector<HTMLInputElement>('[data-console-search]');
        if (search) search.select();
        else setSheet('palette');
      }
    }
    // Before the page's own shortcuts, so that `g k` is not also a `k`.
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [openPage]);

  return (
    <>
      <button
        type="button"
        onClick={() => setSheet('palette')}
        className="inline-flex min-h-11 items-center gap-2 rounded-lg px-2.5 text-ink-soft text-sm hover:bg-sunken hover:text-ink pointer-fine:min-h-8"
      >
        <Search className="size-4" aria-hidden="true" />
        <span className="sr-only">Jump to…</span>
        <kbd className="hidden rounded-md border border-line bg-sunken px-1.5 font-mono text-[0.6875rem] lg:block">
          Ctrl K
        </kbd>
      </button>
      <Palette
        open={sheet === 'palette'}
        onClose={() => setSheet((before) => (before === 'palette' ? undefined : before))}
        onHelp={() => setSheet('help')}
      />
      <ShortcutSheet open={sheet === 'help'} onClose={() => setSheet(undefined)} />
    </>
  );
}
