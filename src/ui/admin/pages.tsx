import { buttonStyle } from '../button-style.ts';
import { Link } from './link.tsx';

/** Keyset paging: no row is skipped or shown twice when others are added meanwhile. */
export function Pages(props: { newest: string | undefined; older: string | undefined; what: string }) {
  if (!props.newest && !props.older) return null;
  return (
    <nav aria-label={`Pages of ${props.what}`} className="mt-4 flex justify-end gap-2">
      {props.newest && (
        <Link href={props.newest} className={buttonStyle('quiet', 'small')}>
          Newest
        </Link>
      )}
      {props.older && (
        <Link href={props.older} className={buttonStyle('secondary', 'small')} rel="next">
          Older
        </Link>
      )}
    </nav>
  );
}
