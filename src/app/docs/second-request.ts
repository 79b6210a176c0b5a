import type { SecondRequestRow } from '#ui/docs/second-request-table.tsx';
import { findProblem } from '../problems/problem-table.ts';

/** The response to a repeated request under a key, by what is stored under that key. */
const rows: readonly { found: string; response: string; code?: string; status?: string; next: string }[] = [
  {
    found: 'Nothing: it is the first',
    response: 'It is executed.',
    status: '201',
    next: 'You have the answer.',
  },
  {
    found: 'Ended, the same request',
    response: 'The stored answer, byte for byte, with Idempotent-Replayed: true.',
    status: '201',
    next: 'You have the answer.',
  },
  {
    found: 'Another request under this key',
    response: 'Nothing is executed, nothing is revealed.',
    code: 'idempotency_key_reused',
    next: 'Use a new key for a new request.',
  },
  {
    found: 'Still running',
    response: 'You get its answer when it ends.',
    code: 'idempotency_key_in_progress',
    next: 'Wait as long as Retry-After says; send it again.',
  },
  {
    found: 'Outcome not known',
    response: 'It is being found out from the provider.',
    code: 'operation_unknown',
    next: 'Ask again with this key. Never with another.',
  },
  {
    found: 'Proven to have had no effect',
    response: 'It is executed, under the same key.',
    status: '201',
    next: 'You have the answer.',
  },
  {
    found: 'Ended too long ago',
    response: 'It is not executed again; the problem names the resource.',
    code: 'idempotency_key_expired',
    next: 'Look the resource up.',
  },
  {
    found: 'The memory cannot be reached',
    response: 'Nothing is executed, and the provider is not called.',
    code: 'idempotency_store_unavailable',
    next: 'Send it again in a few seconds.',
  },
];

export const secondRequestRows: readonly SecondRequestRow[] = rows.map(({ code, status, ...row }) => ({
  ...row,
  code,
  status: code === undefined ? (status ?? '') : String(findProblem(code)?.http ?? ''),
}));
