import { ArrowLeft, ArrowRight } from 'lucide-react';
import Link from 'next/link';
import { buttonStyle } from '../button-style.ts';

/** Next and previous page. There are no page numbers: counting to them would read the table. */
export function Pager(props: {
  previous?: string | undefined;
  next?: string | undefined;
  scanned?: number | undefined;
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
          Looked through {props.scanned.toLocaleString('en-US')} operations; there may be more further on.
        </p>
      )}
      {props.next && (
        <Link href={props.next} className={`${buttonStyle('secondary', 'small')} ml-auto`}>
          {props.scanned ? 'Look further' : 'Next'}
          <ArrowRight className="size-4" aria-hidden="true" />
        </Link>
      )}
    </nav>
  );
}
