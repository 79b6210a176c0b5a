const places = [
  ['/', 'Shops'],
  ['/lab', 'Lab'],
  ['/admin', 'Admin'],
  ['/docs', 'API reference'],
  ['/problems', 'Problems explained'],
] as const;

/** Its links load whole pages, as those of the header do. */
export function SiteFooter({ width }: { width: string }) {
  return (
    <footer className="mt-auto border-line border-t print:hidden">
      <div
        className={`mx-auto flex flex-col gap-2 px-5 py-6 text-ink-faint text-sm sm:flex-row sm:items-center sm:justify-between sm:px-8 ${width}`}
      >
        <p>Click Pay as often as you like: you pay once.</p>
        <nav aria-label="Footer" className="-mx-2 flex flex-wrap">
          {places.map(([href, name]) => (
            <a
              key={href}
              href={href}
              className={`${href === '/lab' ? 'hidden group-data-demo/page:inline-flex' : 'inline-flex'} min-h-11 items-center rounded-lg px-2 hover:text-ink`}
            >
              {name}
            </a>
          ))}
        </nav>
      </div>
    </footer>
  );
}
