'use client';

import { Menu } from '@base-ui/react/menu';
import { Bookmark, ChevronDown } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import type { View } from '#server/console/saved-views.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { useAlive } from '#ui/use-alive.ts';
import { ManageViews } from './manage-views.tsx';
import { SaveView } from './save-view.tsx';

const item =
  'flex min-h-11 w-full cursor-pointer items-center gap-2 rounded-lg px-3 text-left text-sm outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent-ink pointer-fine:min-h-9';
const label = 'px-3 pt-2 pb-1 font-medium text-ink-faint text-xs';

/** Filters that have a name: those everybody has, and one's own. */
export function ViewsMenu(props: { query: string; builtIn: readonly View[]; own: readonly View[] }) {
  const [sheet, setSheet] = useState<'save' | 'manage'>();
  const alive = useAlive();
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={buttonStyle('secondary', 'small')} disabled={!alive}>
          <Bookmark className="size-4" aria-hidden="true" />
          Views
          <ChevronDown className="size-3.5" aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={6} className="z-30">
            <Menu.Popup className="w-72 rounded-xl border border-line bg-surface p-1.5 text-ink shadow-lift outline-none">
              <Views title="Everybody’s" views={props.builtIn} />
              {props.own.length > 0 && <Views title="Yours" views={props.own} />}
              <Menu.Separator className="my-1.5 h-px bg-line" />
              <Menu.Item className={item} onClick={() => setSheet('save')}>
                Save this view…
              </Menu.Item>
              {props.own.length > 0 && (
                <Menu.Item className={item} onClick={() => setSheet('manage')}>
                  Rename or delete…
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <SaveView open={sheet === 'save'} query={props.query} onClose={() => setSheet(undefined)} />
      <ManageViews open={sheet === 'manage'} views={props.own} onClose={() => setSheet(undefined)} />
    </>
  );
}

function Views({ title, views }: { title: string; views: readonly View[] }) {
  return (
    <Menu.Group>
      <Menu.GroupLabel className={label}>{title}</Menu.GroupLabel>
      {views.map(({ id, name, query }) => (
        <Menu.LinkItem
          key={id}
          className={item}
          closeOnClick
          render={<Link href={`/admin/operations?${query}`} />}
        >
          <span className="truncate">{name}</span>
        </Menu.LinkItem>
      ))}
    </Menu.Group>
  );
}
