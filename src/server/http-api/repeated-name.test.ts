import { expect, test } from 'vitest';
import { findRepeatedName } from './repeated-name.ts';

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a" :1, "b":{"c":[{"d":1},{"d":2,"d":3}]}}', 'd'],
  ['[{"":1,"":2}]', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a\\"":1,"a\\"":2}', 'a"'],
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
  ['{"a":"a\\":1,\\"a","b":"{\\"a\\":1,\\"a\\":2}"}', undefined],
  ['["a","a"]', undefined],
  ['"a"', undefined],
])('%s', (json, name) => {
  expect(findRepeatedName(json)).toBe(name);
});
