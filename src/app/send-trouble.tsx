import { InlineError } from '#ui/notice.tsx';
import type { Trouble } from './use-send.ts';

/** What stops a form, in its own words. A page from before a deploy is loaded again by the link. */
export function SendTrouble(props: {
  trouble: Trouble | undefined;
  copy: Readonly<Record<Trouble, string>>;
}) {
  const { trouble, copy } = props;
  if (!trouble) return null;
  return (
    <InlineError>
      {copy[trouble]}
      {trouble === 'outdated' && (
        <>
          {' '}
          <a
            href="?"
            className="inline-flex min-h-6 items-center underline underline-offset-4 pointer-coarse:min-h-11"
          >
            Load the page again
          </a>
        </>
      )}
    </InlineError>
  );
}
