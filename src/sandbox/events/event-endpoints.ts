import { noSuch } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expandOf, expandOfList } from '../http/expand.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { list, parameters, text } from '../http/parameters.ts';
import { ok, type Work } from '../http/response.ts';
import { type EventRow, eventObject } from './event-object.ts';

// Stripe's limit.
const MAX_TYPES = 20;

const listing = parameters(
  { ...listParameters, type: text.optional(), types: list(text).optional(), expand: expandOfList(null) },
  ['delivery_success'],
  ({ type, types }, ctx) => {
    if (type !== undefined && types !== undefined) {
      ctx.addIssue({
        code: 'custom',
        path: ['types'],
        message: 'You may pass either type or types, but not both.',
      });
    }
    if ((types?.length ?? 0) > MAX_TYPES) {
      ctx.addIssue({ code: 'custom', path: ['types'], message: `You may pass at most ${MAX_TYPES} types.` });
    }
  },
);

export const eventEndpoints: Endpoint[] = [
  endpoint('GET', '/v1/events/:id', parameters({ expand: expandOf(null) }), async (work, _input, id) => {
    const { rows } = await work.db.query<EventRow>('SELECT * FROM events WHERE id = $1', [id]);
    if (rows.length === 0) throw noSuch('event', id, 'id');
    return ok((await withPending(work, rows))[0] ?? {});
  }),
  endpoint('GET', '/v1/events', listing, async (work, input) => {
    const where = new Conditions();
    // `payment_intent.*` selects a group of types. An underscore is a wildcard in LIKE, so it is escaped.
    if (input.type !== undefined)
      where.add('type LIKE', input.type.replaceAll('_', '\\_').replace(/\*$/, '%'));
    if (input.types !== undefined) where.add('array[type] <@', input.types);
    const page = await selectPage<EventRow>(work, 'events', where, input);
    return ok(listObject('/v1/events', await withPending(work, page.rows), page.hasMore));
  }),
];

async function withPending(work: Work, events: EventRow[]): Promise<object[]> {
  const { rows } = await work.db.query<{ event: string; pending: number }>(
    `SELECT event, count(*) AS pending FROM webhook_deliveries
     WHERE status = 'pending' AND event = ANY ($1) GROUP BY event`,
    [events.map((event) => event.id)],
  );
  const pending = new Map(rows.map((row) => [row.event, row.pending]));
  return events.map((event) => eventObject(event, pending.get(event.id) ?? 0));
}
