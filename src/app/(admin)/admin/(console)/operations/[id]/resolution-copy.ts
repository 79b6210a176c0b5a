import type { api } from '#app/trpc/client.ts';
import { assertionLabel, refusalCopy } from '#ui/admin/assertion-copy.ts';
import { type Finding, findingOf } from '../reconciled.ts';

type Resolution = Awaited<ReturnType<typeof api.operation.resolve.mutate>>;

/** The result of an assertion. What the provider proves may differ from what was asserted. */
export function resolutionCopy(operation: string, assertion: string, result: Resolution): Finding {
  switch (result.kind) {
    case 'reconciled':
      return findingOf(result.found, operation);
    case 'proposed':
      return {
        tone: 'ok',
        title: `Proposed: ${assertionLabel(assertion).toLowerCase()}.`,
        body: 'Nothing has changed yet. It waits for somebody else with the role of approver.',
      };
    case 'already_proposed':
      return {
        tone: 'plain',
        title: 'It has been proposed already.',
        body: 'One proposal at a time waits for its decision.',
      };
    case 'overridden':
      return {
        tone: 'ok',
        title: `Settled as ${assertionLabel(assertion).toLowerCase()}, on your word.`,
        body: 'It is marked as a verdict of a person, with your reason and what the provider said.',
      };
    case 'evidence_changed':
      return {
        tone: 'warn',
        title: 'The evidence has changed: nothing was done.',
        body: 'The provider says something else than it did on this page. It has been asked again; look before you decide.',
      };
    case 'refused':
      return { tone: 'warn', title: 'That cannot be said.', body: refusalCopy(result.why, operation) };
    case 'nothing_to_do':
      return {
        tone: 'plain',
        title: 'Somebody else was first: nothing was done.',
        body:
          result.status === 'missing'
            ? 'It is no longer there.'
            : `It has become ${result.status.replaceAll('_', ' ')} meanwhile.`,
      };
  }
}
