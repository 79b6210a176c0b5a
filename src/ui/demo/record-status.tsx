const colours: Record<string, string> = {
  in_progress: 'text-accent-ink',
  completed: 'text-ok',
  unknown: 'text-unknown',
  failed_retryable: 'text-warn',
};

/** A record's status and recovery point, as the database names them. */
export function RecordStatus(props: { status: string; recoveryPoint: string; copy?: boolean }) {
  const { status, recoveryPoint, copy } = props;
  return (
    <span data-reading={copy ? undefined : 'record'}>
      <span className={`block font-medium ${colours[status] ?? ''}`}>{status.replaceAll('_', ' ')}</span>
      <span className="sr-only"> at </span>
      <code className="block font-mono text-ink-faint text-xs">{recoveryPoint}</code>
    </span>
  );
}
