import { ChevronLeft, ChevronRight } from 'lucide-react';
import { buttonStyle } from '../button-style.ts';
import { Link } from './link.tsx';

/** From one unknown operation to the next, without going back to the list. */
export function Neighbours(props: { previous: string | null; next: string | null }) {
  if (!props.previous && !props.next) return null;
  return (
    <nav aria-label="Unknown operations" className="flex gap-1">
      {props.previous && (
        <Link href={`/admin/operations/${props.previous}`} className={buttonStyle('quiet', 'small')}>
          <ChevronLeft className="size-4" aria-hidden="true" />
          Previous unknown
        </Link>
      )}
      {props.next && (
        <Link href={`/admin/operations/${props.next}`} className={buttonStyle('quiet', 'small')}>
          Next unknown
          <ChevronRight className="size-4" aria-hidden="true" />
        </Link>
      )}
    </nav>
  );
}
