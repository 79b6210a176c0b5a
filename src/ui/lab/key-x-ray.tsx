import type { ReactNode } from 'react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

type XRay = NonNullable<RouterOutputs['lab']['xRay']>;

/** The record of one key: what it is, who misused it, and every change of it. */
export function KeyXRay({ record }: { record: XRay }) {
  return (
    <>
      <dl className="grid max-w-3xl gap-x-8 gap-y-4 sm:grid-cols-2">
        <Fact name="Status">
          {plain(record.status)} at {record.recoveryPoint}
        </Fact>
        <Fact name="Attempts">{record.attempt}</Fact>
        <Fact name="Replays to the lab’s clients">{record.replays}</Fact>
        <Fact name="Lease">
          {record.leaseUntil ? `until ${moment(record.leaseUntil)}` : 'none: no request is executing'}
        </Fact>
        <Fact name="Claimed">{moment(record.createdAt)}</Fact>
        <Fact name="Response replayed until">
          {record.expiresAt ? moment(record.expiresAt) : 'not resolved, so it cannot expire'}
        </Fact>
        {record.deleteAt && <Fact name="Record deleted after">{moment(record.deleteAt)}</Fact>}
        <Fact name={`Fingerprint of the command, version ${record.fingerprintVersion}`} wide>
          <code className="break-all font-mono text-xs">{record.fingerprint}</code>
        </Fact>
        <Fact name="Misuse" wide>
          {record.misuses.length === 0
            ? 'None: every request with this key had the same command.'
            : record.misuses.map(({ kind, fields, times }) => (
                <span key={`${kind} ${fields.join()}`} className="block text-danger">
                  {times === 1 ? 'Once' : `${times} times`} with another{' '}
                  {kind === 'principal'
                    ? 'principal'
                    : `command; these fields differ: ${fields.map(short).join(', ') || 'unknown'}`}
                </span>
              ))}
        </Fact>
      </dl>
      <h2 className="mt-8 font-semibold text-xl tracking-tight">Its life</h2>
      <p className="mt-1 text-ink-soft text-sm">As the database wrote it down itself. Times are UTC.</p>
      <ol className="mt-2 max-w-3xl text-sm">
        {record.events.map((event) => (
          <li
            key={event.id}
            className="grid grid-cols-[7rem_1fr] gap-x-4 border-line border-b py-2.5 last:border-b-0"
          >
            <span className="text-ink-faint tabular-nums">{time(event.at)}</span>
            <span>
              {event.from ? `${plain(event.from)} → ` : ''}
              <span className="font-medium">{plain(event.to)}</span> at {event.recoveryPoint}, attempt{' '}
              {event.attempt}
              <span className="block text-ink-soft">
                {event.actor.split(':')[0]?.replaceAll('_', ' ')}: {causes[event.cause] ?? plain(event.cause)}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Fact({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'sm:col-span-2' : undefined}>
      <dt className="text-ink-faint text-sm">{name}</dt>
      <dd className="mt-0.5 font-medium">{children}</dd>
    </div>
  );
}

function plain(text: string): string {
  return text.replaceAll('_', ' ');
}

/** `input.amountMinor` is shown as `amountMinor`. */
function short(field: string): string {
  return field.replace(/^input\./, '');
}

/** Causes that are one word in the record's events. */
const causes: Readonly<Record<string, string>> = { phase: 'reached this recovery point' };

/** The order of events within a second matters, and one zone for all: the record's times are the database's. */
function time(iso: string): string {
  return iso.slice(11, 23);
}

function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}
