export function CoinMark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="9" className="fill-accent" />
      <g className="stroke-on-accent" fill="none" strokeLinecap="round" strokeLinejoin="round">
        <circle cx="16" cy="16" r="10.25" strokeWidth="2" />
        <path d="M13.2 13.2 16.6 11v10.2" strokeWidth="2.6" />
      </g>
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2.5 font-semibold text-[1.0625rem] tracking-tight">
      <CoinMark />
      Paidonce
    </span>
  );
}
