import { afterEach, expect, test, vi } from 'vitest';
import { parseSettings } from '#server/env.ts';
import { showBanner } from './banner.ts';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['::1', 'http://[::1]:4002/api/v1'],
  ['0.0.0.0', 'http://127.0.0.1:4002/api/v1'],
  ['192.0.2.7', 'http://192.0.2.7:4002/api/v1'],
])('the address of the API is one that can be opened, with HOST %s', (HOST, address) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  showBanner(parseSettings({ HOST, API_PORT: '4002' }), undefined, '1.0');
  expect(write.mock.calls.map(([text]) => text)).toContainEqual(
    expect.stringMatching(new RegExp(`API .*${RegExp.escape(address)}`)),
  );
});
