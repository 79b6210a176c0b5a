import type { RouterOutputs } from '#server/trpc/outputs.ts';

/** The story in paragraphs, then the details. */
export function ProductDetails(
  props: Pick<RouterOutputs['shop']['product']['product'], 'story' | 'details'>,
) {
  const paragraphs = props.story.split(/\n{2,}/).filter((text) => text !== '');
  return (
    <>
      <div className="mt-10 grid max-w-[60ch] gap-4 leading-7">
        {paragraphs.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      {props.details.length > 0 && (
        <section aria-labelledby="details-title" className="mt-10">
          <h2 id="details-title" className="font-semibold tracking-tight">
            Details
          </h2>
          <dl className="mt-3 divide-y divide-line border-line border-y text-[0.9375rem]">
            {props.details.map(({ name, value }) => (
              <div key={name} className="grid grid-cols-[8rem_1fr] gap-4 py-3">
                <dt className="text-ink-soft">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}
