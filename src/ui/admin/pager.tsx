import { ArrowLeft, ArrowRight } from 'lucide-react';
import { buttonStyle } from '../button-style.ts';
import { Link } from './link.tsx';

/** Next and previous page. There are no page numbers: counting to them would read the table. */
export function Pager(props: {
  previous?: string | undefined;
  next?: string | undefined;
  scanned?: number | undefined;
  what?: string;
}) {
  if (!props.previous && !props.next) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center gap-2">
      {props.previous && (
        <Link href={props.previous} className={buttonStyle('secondary', 'small')}>
          <ArrowLeft className="size-4" aria-hidden="true" />
          Previous
        </Link>
      )}
      {props.scanned && (
        <p className="text-ink-soft text-sm">
          Searched {props.scanned.toLocaleString('en-US')} {props.what ?? 'operations'}; there may be more.
        </p>
      )}
      {props.next && (
        <Link href={props.next} className={`${buttonStyle('secondary', 'small')} ml-auto`}>
          {props.scanned ? 'Search further' : 'Next'}
          <ArrowRight className="size-4" aria-hidden="true" />
        </Link>
      )}
    </nav>
  );
}
