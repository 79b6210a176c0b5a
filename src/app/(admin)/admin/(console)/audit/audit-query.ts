const dayMs = 24 * 60 * 60 * 1000;

/** The filter as the address says it, and as the log is asked. Days are whole days in UTC; `until` includes its day. */
export function auditQuery(asked: (name: string) => string | undefined) {
  const words = {
    person: asked('person'),
    action: asked('action'),
    subject: asked('subject'),
    from: asked('from'),
    until: asked('until'),
  };
  const [from, until] = [dayOf(words.from), dayOf(words.until)];
  return {
    words,
    filter: {
      ...(words.person && { person: words.person }),
      ...(words.action && { action: words.action }),
      ...(words.subject && { subject: words.subject }),
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
