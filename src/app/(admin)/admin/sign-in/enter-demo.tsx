import { buttonStyle } from '#ui/button-style.ts';

/** On the embedded default only: no password to look up. A plain form, so it works before JavaScript runs. */
export function EnterDemo({ next }: { next: string }) {
  return (
    <form action="/admin/sign-in/demo" method="post" className="mb-8 border-line border-b pb-8">
      <input type="hidden" name="next" value={next} />
      <div className="grid gap-3 sm:grid-cols-2">
        <button type="submit" name="role" value="operator" className={buttonStyle('primary', 'large')}>
          Enter as operator
        </button>
        <button type="submit" name="role" value="approver" className={buttonStyle('secondary', 'large')}>
          Enter as approver
        </button>
      </div>
      <p className="mt-3 text-ink-faint text-sm">
        This is the demo on your own machine. Operators check and refund; approvers decide what takes two
        people.
      </p>
    </form>
  );
}
