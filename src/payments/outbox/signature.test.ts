import { expect, test } from 'vitest';
import { sign, verifySignature } from './signature.ts';

const secret = 'whsec_of_a_merchant';
const body = '{"id":"1","amount":1200}';
const at = new Date('2026-11-16T10:00:00Z');
const header = sign(body, secret, at);

function isGenuine(over: Partial<Parameters<typeof verifySignature>[0]> = {}): boolean {
  return verifySignature({ body, header, secret, now: at, ...over });
}

test('what we signed is genuine', () => {
  expect(header).toMatch(/^t=1794823200,v1=[0-9a-f]{64}$/);
  expect(isGenuine()).toBe(true);
});

test('any other body, secret or time is not', () => {
  expect(isGenuine({ body: body.replace('1200', '9200') })).toBe(false);
  expect(isGenuine({ secret: 'whsec_of_another' })).toBe(false);
  expect(isGenuine({ header: header.replace('t=1794823200', 't=1794823201') })).toBe(false);
});

test('a recorded request is worthless after five minutes, and a clock may be wrong by as much', () => {
  const after = (seconds: number) => new Date(at.getTime() + seconds * 1000);
  expect(isGenuine({ now: after(300) })).toBe(true);
  expect(isGenuine({ now: after(-300) })).toBe(true);
  expect(isGenuine({ now: after(301) })).toBe(false);
});

test('one of several signatures is enough, so that a secret can be changed', () => {
  const both = `${header},${sign(body, 'whsec_of_tomorrow', at).split(',')[1]}`;
  expect(isGenuine({ header: both })).toBe(true);
  expect(isGenuine({ header: both, secret: 'whsec_of_tomorrow' })).toBe(true);
});

test.each([
  '',
  't=',
  'v1=',
  't=x,v1=y',
  't=1794823200',
  't=1794823200,v1=',
  't=1794823200,v1=zz',
  't=1794823200,v0=aa',
])('the header %o is refused', (bad) => {
  expect(isGenuine({ header: bad })).toBe(false);
});
