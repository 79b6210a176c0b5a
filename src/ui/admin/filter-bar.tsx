import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { buttonStyle } from '../button-style.ts';
import { Link } from './link.tsx';
import { ShopField } from './linked-shop.tsx';

const field =
  'block min-h-11 w-full min-w-0 rounded-xl border border-line-strong bg-surface px-3 text-base sm:text-sm focus-visible:border-accent focus-visible:outline-offset-0';

/** A plain GET form: it works without JavaScript, and its address can be bookmarked and shared. */
export function FilterBar(props: {
  action: string;
  label: string;
  children: ReactNode;
  /** Fields that are hidden on a phone until they are asked for, because they would fill the screen before the list. */
  more?: { readonly fields: ReactNode; readonly chosen: number };
  clear?: boolean;
}) {
  const { more } = props;
  return (
    <form
      action={props.action}
      aria-label={props.label}
      className="mt-6 grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap"
    >
      <ShopField />
      {props.children}
      {more && <MoreFields {...more} />}
      {/* As high as the fields beside them, with a mouse too. */}
      <div
        className={`${more ? 'peer-checked:col-span-2' : 'col-span-2'} flex gap-3 max-sm:*:flex-1 max-sm:*:px-3`}
      >
        <button type="submit" className={buttonStyle('secondary')}>
          Filter
        </button>
        {props.clear && (
          <Link href={props.action} className={buttonStyle('quiet')}>
            Clear
          </Link>
        )}
      </div>
    </form>
  );
}

/** The box has no name, so it is no part of the address. */
function MoreFields({ fields, chosen }: { fields: ReactNode; chosen: number }) {
  const id = useId();
  return (
    <>
      <input id={id} type="checkbox" className="peer sr-only sm:hidden" />
      <label
        htmlFor={id}
        className={`${buttonStyle('quiet')} bg-sunken peer-checked:col-span-2 peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-focus-visible:outline-offset-3 max-sm:px-3 sm:hidden`}
      >
        <SlidersHorizontal className="size-4" aria-hidden="true" />
        {chosen === 0 ? 'More filters' : `More filters (${chosen})`}
      </label>
      <div className="contents max-sm:peer-not-checked:hidden">{fields}</div>
    </>
  );
}

export function FilterSelect(props: {
  name: string;
  label: string;
  value: string | undefined;
  any: string;
  options: readonly (readonly [value: string, label: string])[];
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-ink-faint text-xs">
        {props.label}
      </label>
      <select id={id} name={props.name} defaultValue={props.value ?? ''} className={`${field} sm:max-w-64`}>
        <option value="">{props.any}</option>
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

export function FilterInput(props: {
  name: string;
  label: string;
  value: string | undefined;
  type?: 'text' | 'date';
  /** In characters, where the field need not be as wide as others. */
  size?: number;
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-ink-faint text-xs">
        {props.label}
      </label>
      <input
        id={id}
        name={props.name}
        type={props.type ?? 'text'}
        size={props.size}
        defaultValue={props.value ?? ''}
        className={field}
      />
    </div>
  );
}
