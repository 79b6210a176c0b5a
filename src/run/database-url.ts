export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

export function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

// For messages: who and where, never the password.
export function withoutPassword(url: string): string {
  const changed = new URL(url);
  if (changed.password !== '') changed.password = '***';
  return changed.href;
}
