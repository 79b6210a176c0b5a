import { CircleAlert, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from './link.tsx';

/** The health of one dependency, with a link to the list behind its figure, where there is one. */
export function HealthLine(props: { name: string; healthy: boolean; href?: string; children: ReactNode }) {
  const Icon = props.healthy ? CircleCheck : CircleAlert;
  const line = (
    <>
      <Icon
        className={`mt-0.5 size-4 shrink-0 ${props.healthy ? 'text-ok' : 'text-danger'}`}
        aria-label={props.healthy ? 'Healthy' : 'Needs attention'}
      />
      <span className="min-w-0 text-sm">
        <span className="block font-medium">{props.name}</span>
        <span className="block text-ink-soft text-xs leading-5">{props.children}</span>
      </span>
    </>
  );
  return (
    <li className="border-line border-b last:border-b-0 sm:border-r sm:border-b-0 sm:last:border-r-0">
      {props.href ? (
        <Link href={props.href} className="flex h-full gap-3 px-5 py-4 -outline-offset-2 hover:bg-sunken">
          {line}
        </Link>
      ) : (
        <div className="flex h-full gap-3 px-5 py-4">{line}</div>
      )}
    </li>
  );
}
