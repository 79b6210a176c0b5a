'use client';

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useOpenPage } from '#ui/admin/linked-shop.tsx';
import { type Command, usePaletteCommands } from './palette-commands.ts';
import { Sheet } from './sheet.tsx';

/**
 * A combobox whose list is always open. The focus stays in the field; the arrow keys move through the list, and
 * `aria-activedescendant` announces the current option.
 */
export function Palette({
  open,
  onClose,
  onHelp,
}: {
  open: boolean;
  onClose: () => void;
  onHelp: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Sheet open={open} onClose={onClose} title="Jump anywhere" titleHidden initialFocus={field}>
      <Jump field={field} onClose={onClose} onHelp={onHelp} />
    </Sheet>
  );
}

function Jump(props: {
  field: React.RefObject<HTMLInputElement | null>;
  onClose: () => void;
  onHelp: () => void;
}) {
  const openPage = useOpenPage();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const { commands, searching } = usePaletteCommands(typed);
  const list = useRef<HTMLDivElement>(null);
  const current = commands[Math.min(active, commands.length - 1)];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the current option is scrolled into view
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function go(command: Command | undefined) {
    if (!command) return;
    props.onClose();
    if (command.does === 'help') props.onHelp();
    else openPage(command.does.href);
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      setActive(
        (before) => (Math.min(before, commands.length - 1) + step + commands.length) % commands.length,
      );
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      go(current);
    }
  }

  return (
    <>
      <input
        ref={props.field}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={current && `${id}-${current.id}`}
        aria-autocomplete="list"
        aria-label="Go to a page, a view or an operation"
        placeholder="A page, a view, an order number, an id…"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        className="min-h-14 w-full border-line border-b bg-transparent px-5 text-base outline-none placeholder:text-ink-faint"
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className="overflow-y-auto p-2">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is served by the field above
          <div
            key={command.id}
            id={`${id}-${command.id}`}
            role="option"
            aria-selected={command === current}
            tabIndex={-1}
            onPointerMove={() => setActive(index)}
            onClick={() => go(command)}
            className="flex min-h-11 cursor-pointer items-center justify-between gap-4 rounded-lg px-3 text-sm aria-selected:bg-accent-soft aria-selected:text-accent-ink"
          >
            <span className="min-w-0 truncate">{command.name}</span>
            <span className="shrink-0 text-ink-soft text-xs">{command.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" className="px-5 pb-3 text-ink-soft text-xs empty:hidden">
        {searching ? 'Searching…' : commands.length === 0 ? 'No matches.' : ''}
      </p>
    </>
  );
}
