/**
 * Streams lines of CSV as a download. A page is read when the client has taken the previous one; a client that disconnects stops it.
 * A client that takes its time may lose its permission meanwhile, so that is asked for every page. The download then fails,
 * because a part of a list must not look like the whole.
 */
export function csvResponse(
  lines: AsyncGenerator<string, void>,
  name: string,
  mayGoOn: () => Promise<boolean>,
): Response {
  const encoder = new TextEncoder();
  let begun = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (begun && !(await mayGoOn())) throw new Error('The person may no longer read what is exported.');
      begun = true;
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return();
    },
  });
  const day = new Date().toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}-${day}.csv"`,
      'Cache-Control': 'no-store',
    },
  });
}
