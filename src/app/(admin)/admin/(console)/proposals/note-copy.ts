import { codeCopy } from '#ui/admin/code-copy.ts';
import { actorCopy, lowerFirst } from '#ui/admin/timeline-copy.ts';

/** As the database writes it when evidence resolves the operation of an open proposal: by whom, and the cause. */
const resolvedMeanwhile = /^Resolved meanwhile by (\S+): (\w+)$/;

/** What the software noted. Undefined: it is a person's own text, which is quoted. */
export function noteCopy(note: string, status: string, operation: string): string | undefined {
  if (status !== 'void') return undefined;
  const [, actor, cause] = resolvedMeanwhile.exec(note) ?? [];
  if (actor === undefined || cause === undefined) return note;
  const by = actor.startsWith('operator:') ? 'a check that a person asked for' : actorCopy(actor, operation);
  return `Resolved meanwhile by ${by}: ${lowerFirst(codeCopy(cause, operation))}.`;
}
