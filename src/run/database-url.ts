export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

export function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

// Where PostgreSQL listens, for people: an address, or the directory of its socket.
export function serverOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return (searchParams.get('host') ?? host.replaceAll(/%2f/gi, '/')) || 'its default address';
}
