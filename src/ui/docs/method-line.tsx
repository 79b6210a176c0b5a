const colours: Record<string, string> = {
  POST: 'bg-ok-soft text-ok',
  GET: 'bg-accent-soft text-accent-ink',
};

export function MethodLine({ method, path }: { method: string; path: string }) {
  return (
    <p className="flex flex-wrap items-center gap-2.5 font-mono text-[0.8125rem]">
      <span className={`rounded-md px-2 py-0.5 font-semibold ${colours[method] ?? 'bg-sunken'}`}>
        {method}
      </span>
      <span className="break-all">{path}</span>
    </p>
  );
}
