'use client';

import { useState } from 'react';
import { consoleSections } from '#ui/admin/console-sections.ts';
import { Sheet } from './sheet.tsx';
import { setShortcuts, shortcutList, shortcutsOn } from './shortcuts.ts';

export function ShortcutSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Sheet open={open} onClose={onClose} title="Keyboard shortcuts">
      <Shortcuts />
    </Sheet>
  );
}

function Shortcuts() {
  const [on, setOn] = useState(shortcutsOn);
  const list = [
    ...shortcutList,
    ...consoleSections.map(({ letter, name }) => [`g ${letter}`, `Go to ${name}`] as const),
  ];
  return (
    <div className="overflow-y-auto px-5 pb-5">
      <dl className="grid gap-x-8 sm:grid-cols-2">
        {list.map(([keys, does]) => (
          <div
            key={keys}
            className="flex items-center justify-between gap-4 border-line border-b py-2 text-sm"
          >
            <dt className="order-2 flex gap-1">
              {keys.split(' ').map((key) => (
                <kbd
                  key={key}
                  className="rounded-md border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-ink-soft">{does}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex min-h-11 items-center gap-3 text-sm">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            setShortcuts(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
          className="size-4 accent-accent"
        />
        Enable single-key shortcuts
      </label>
    </div>
  );
}
