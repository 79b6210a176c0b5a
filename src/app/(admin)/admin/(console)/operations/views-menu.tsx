'use client';

import { Popover } from '@base-ui/react/popover';
import { Bookmark, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { View } from '#console/operations-list/saved-views.ts';
import { Link } from '#ui/admin/link.tsx';
import { buttonStyle } from '#ui/button-style.ts';
import { useHydrated } from '#ui/use-hydrated.ts';
import { ManageViews } from './manage-views.tsx';
import { SaveView } from './save-view.tsx';

const item =
  'flex min-h-11 w-full items-center rounded-lg px-3 text-left text-sm -outline-offset-2 hover:bg-accent-soft hover:text-accent-ink pointer-fine:min-h-9';

/** Named filters: the built-in ones, and the member's own. */
export function ViewsMenu(props: { query: string; builtIn: readonly View[]; own: readonly View[] }) {
  const [open, setOpen] = useState(false);
  const [sheet, setSheet] = useState<'save' | 'manage'>();
  const hydrated = useHydrated();
  const close = () => setOpen(false);
  const show = (which: typeof sheet) => {
    close();
    setSheet(which);
  };
  return (
    <>
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger className={buttonStyle('secondary', 'small')} disabled={!hydrated}>
          <Bookmark className="size-4" aria-hidden="true" />
          Views
          <ChevronDown className="size-3.5" aria-hidden="true" />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner align="end" sideOffset={6} className="z-30">
            <Popover.Popup className="max-h-[70dvh] w-72 overflow-y-auto rounded-xl border border-line bg-surface p-1.5 text-ink shadow-lift outline-none">
              <Popover.Title className="sr-only">Views</Popover.Title>
              <Views title="Shared" views={props.builtIn} onOpen={close} />
              {props.own.length > 0 && <Views title="Yours" views={props.own} onOpen={close} />}
              <div className="mt-1.5 border-line border-t pt-1.5">
                <button type="button" className={item} onClick={() => show('save')}>
                  Save this view…
                </button>
                {props.own.length > 0 && (
                  <button type="button" className={item} onClick={() => show('manage')}>
                    Rename or delete…
                  </button>
                )}
              </div>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      <SaveView open={sheet === 'save'} query={props.query} onClose={() => setSheet(undefined)} />
      <ManageViews open={sheet === 'manage'} views={props.own} onClose={() => setSheet(undefined)} />
    </>
  );
}

function Views(props: { title: string; views: readonly View[]; onOpen: () => void }) {
  return (
    <section aria-label={props.title}>
      <h2 className="px-3 pt-2 pb-1 font-medium text-ink-faint text-xs">{props.title}</h2>
      <ul>
        {props.views.map(({ id, name, query }) => (
          <li key={id}>
            <Link href={`/admin/operations?${query}`} onClick={props.onOpen} className={item}>
              <span className="truncate">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
