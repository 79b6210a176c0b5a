import type { ReactNode } from 'react';

/**
 * The order on the left and the form on the right. In the demo a third panel is beside them, or below them on narrow
 * screens. Its space is reserved from the first paint, so that the layout does not shift when it is hydrated.
 */
export function PayLayout(props: { summary: ReactNode; form: ReactNode; demo?: ReactNode }) {
  const { summary, form, demo } = props;
  if (!demo) {
    return (
      <div className="grid flex-1 lg:grid-cols-2">
        <div className="bg-sunken px-5 py-8 sm:px-8 lg:py-20">
          <div className="mx-auto max-w-md lg:mr-16 lg:ml-auto">{summary}</div>
        </div>
        <div className="px-5 py-8 sm:px-8 lg:py-20">
          <div className="mx-auto max-w-md lg:mr-auto lg:ml-16">{form}</div>
        </div>
      </div>
    );
  }
  return (
    <div className="grid flex-1 lg:grid-cols-[minmax(0,1fr)_27rem] lg:grid-rows-[auto_1fr] xl:grid-cols-[minmax(0,6fr)_minmax(0,7fr)_29rem] xl:grid-rows-none">
      <div className="bg-sunken px-5 py-8 sm:px-8 xl:py-16">
        <div className="mx-auto max-w-md lg:mx-0">{summary}</div>
      </div>
      <div className="px-5 py-8 sm:px-8 lg:row-start-2 xl:row-start-auto xl:py-16">
        <div className="mx-auto max-w-md lg:mx-0">{form}</div>
      </div>
      <div className="border-line border-t bg-surface lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:border-t-0 lg:border-l xl:col-start-3 xl:row-span-1">
        {demo}
      </div>
    </div>
  );
}
