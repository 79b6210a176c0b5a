const counts = [2, 3, 5, 10] as const;

export function ClickCount({ value, onChange }: { value: number; onChange: (clicks: number) => void }) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium text-sm">Clicks</legend>
      <div className="flex overflow-hidden rounded-xl border border-line-strong bg-surface">
        {counts.map((count) => (
          <label
            key={count}
            className="grid min-h-12 min-w-12 place-items-center px-2 font-medium tabular-nums has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 has-focus-visible:outline-current [&:not(:has(:checked))]:hover:bg-sunken"
          >
            <input
              type="radio"
              name="clicks"
              className="sr-only"
              checked={count === value}
              onChange={() => onChange(count)}
            />
            {count}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
