import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import type { AuditEntryView } from '#console/audit/list-audit.ts';
import { csvLine } from '#console/paging/csv.ts';
import { asMember } from '../../as-member.ts';
import { auditQuery } from '../audit-query.ts';

const batch = 500;
const headings = ['id', 'at', 'person', 'action', 'subject_type', 'subject_id', 'reason', 'details'];

/** The entries that the filter matches, streamed in batches, so that a log of any length can be exported. */
export function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  return asMember(request, async (_, api) => {
    const { filter } = auditQuery((name) => query.get(name) || undefined, await zoneOfConsole());
    // The first batch is read before the response starts, so that a missing permission becomes a status.
    let page = await api.audit.list({ ...filter, limit: batch });
    const body = new ReadableStream<Uint8Array>({
      start(out) {
        out.enqueue(encode(csvLine(headings)));
      },
      async pull(out) {
        out.enqueue(encode(page.entries.map(lineOf).join('')));
        if (!page.next) return out.close();
        page = await api.audit.list({ ...filter, limit: batch, before: page.next });
      },
    });
    return new Response(body, {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.csv"',
        'cache-control': 'no-store',
      },
    });
  });
}

function lineOf(entry: AuditEntryView): string {
  return csvLine([
    entry.id,
    entry.at,
    entry.person,
    entry.action,
    entry.subject.type,
    entry.subject.id,
    entry.reason,
    entry.details === null ? null : JSON.stringify(entry.details),
  ]);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
