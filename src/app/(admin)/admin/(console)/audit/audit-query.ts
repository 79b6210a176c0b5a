import { readDay, startOfDay, startOfNextDay } from '#console/paging/days.ts';

/** The filter as text of the address, and parsed for the log. Days are whole days in the zone; `until` includes its day. */
export function auditQuery(parameter: (name: string) => string | undefined, zone: string) {
  const query = {
    person: parameter('person'),
    action: parameter('action'),
    subject: parameter('subject'),
    from: parameter('from'),
    until: parameter('until'),
  };
  const [from, until] = [readDay(query.from), readDay(query.until)];
  return {
    query,
    filter: {
      ...(query.person && { person: query.person }),
      ...(query.action && { action: query.action }),
      ...(query.subject && { subject: query.subject }),
      ...(from && { from: startOfDay(from, zone) }),
      ...(until && { until: startOfNextDay(until, zone) }),
    },
  };
}
