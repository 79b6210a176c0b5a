const dayMs = 24 * 60 * 60 * 1000;

/** The filter as text of the address, and parsed for the log. Days are whole days in UTC; `until` includes its day. */
export function auditQuery(parameter: (name: string) => string | undefined) {
  const query = {
    person: parameter('person'),
    action: parameter('action'),
    subject: parameter('subject'),
    from: parameter('from'),
    until: parameter('until'),
  };
  const [from, until] = [dayOf(query.from), dayOf(query.until)];
  return {
    query,
    filter: {
      ...(query.person && { person: query.person }),
      ...(query.action && { action: query.action }),
      ...(query.subject && { subject: query.subject }),
      ...(from && { from }),
      ...(until && { until: new Date(until.getTime() + dayMs) }),
    },
  };
}

function dayOf(text: string | undefined): Date | undefined {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}
