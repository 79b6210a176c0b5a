import { expect, test } from 'vitest';
import { databaseOf, serverOf, withDatabase } from './database-url.ts';

test.each([
  ['postgresql://user:secret@db.example:5432/shop', 'db.example:5432'],
  ['postgresql://user@[::1]:5432/shop', '[::1]:5432'],
  ['postgresql:///shop?host=/run/postgresql', '/run/postgresql'],
  ['postgresql://%2Frun%2Fpostgresql/shop', '/run/postgresql'],
  ['postgresql:///shop', 'its default address'],
])('of %s, people are shown the server alone', (url, server) => {
  expect(serverOf(url)).toBe(server);
});

test('another database on the same server keeps the login and the parameters, with all their characters', () => {
  const url = withDatabase(
    'postgresql://user:p%40%23%2F%3A@[::1]:5432/my%20shop?sslmode=require',
    'my shop_sandbox',
  );
  expect(url).toBe('postgresql://user:p%40%23%2F%3A@[::1]:5432/my%20shop_sandbox?sslmode=require');
  expect(databaseOf(url)).toBe('my shop_sandbox');
});
