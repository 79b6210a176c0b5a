import { X } from 'lucide-react';
import type { OperationFilter } from '#console/operations-list/operation-filter.ts';
import { Link } from '#ui/admin/link.tsx';
import { chipsOf } from './filter-copy.ts';

/** The active filters, each with a link that removes it. */
export function FilterChips(props: {
  filter: OperationFilter;
  shops: readonly { slug: string; name: string }[];
}) {
  const chips = chipsOf(props.filter, props.shops);
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Active filters" className="mb-3 flex flex-wrap gap-2">
      {chips.map(({ label, href }) => (
        <li key={label}>
          <Link
            href={href}
            className="inline-flex min-h-11 items-center gap-1.5 rounded-full bg-accent-soft pr-2.5 pl-3.5 text-accent-ink text-xs hover:bg-accent hover:text-on-accent pointer-fine:min-h-7"
          >
            {label}
            <X className="size-3.5" aria-hidden="true" />
            <span className="sr-only">: remove</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
