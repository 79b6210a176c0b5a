import { ExternalLink } from 'lucide-react';
import { CopyButton } from '../copy-button.tsx';

/** An id that people paste elsewhere, with a button that copies it and perhaps a link to where it leads. */
export function Copyable(props: {
  text: string;
  name: string;
  href?: string | null | undefined;
  linkText?: string;
}) {
  return (
    <>
      <span className="flex items-start gap-x-1">
        <span className="min-w-0 break-all font-mono text-[0.8125rem] leading-5">{props.text}</span>
        <span className="inline-flex h-5 shrink-0 items-center">
          <CopyButton text={props.text} label={`Copy ${props.name}`} />
        </span>
      </span>
      {props.href && (
        <a
          href={props.href}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 whitespace-nowrap underline decoration-line-strong underline-offset-4 hover:decoration-accent"
        >
          {props.linkText ?? 'Open at the provider'}
          <ExternalLink className="size-3.5" aria-hidden="true" />
        </a>
      )}
    </>
  );
}
