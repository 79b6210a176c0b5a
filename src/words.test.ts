import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// Words that this code once had meanings of its own for, or that hide who does something, and what to write instead. The
// glossary is in README.md beside this file.
const instead: readonly (readonly [RegExp, string])[] = [
  [/\b(told|tells?|telling)\b/, 'say, show, respond, distinguish'],
  [
    /\b(some|no|every)body\b|\b(some|every)one\b|\bwhoever\b|\bwhatever\b/,
    'the person, the process or the thing that is meant',
  ],
  [/\blook(s|ed|ing)? at\b/, 'check, read, examine'],
  [/\bdoubt(s|ed|ful|ing)?\b/, 'unknown, to mark unknown'],
  [/\bsettle[ds]?\b|\bsettling\b|\bsettlement\b/, 'resolve, resolution; settlement is the payout of funds'],
  [/\blate truths?\b/, 'exception'],
  [/\bhouse\b/, 'services'],
  [/\bpuppets?\b/, 'scripted owners'],
  [/\bjudg(e|es|ed|ing)\b/, 'classify'],
  [/\bnews\b/, 'event, result'],
  [/\bsightings?\b/, 'provider snapshot'],
  [/\bdeeds?\b/, 'audit entry'],
  [/\b(hurry|hasten)(s|ed)?\b/, 'expedite, retryNow'],
  [/\boverrul(e|es|ed|ing)\b|\bruling\b/, 'override, assertion'],
  [/\bpatience ms\b/, 'timeoutMs'],
  [/\banswer box\b/, 'ResponseCodec'],
];

// Texts in which such a word has its ordinary meaning.
const ordinary = [
  // Products of the demo shops, and their stories.
  'House Espresso',
  'does as it is told',
  // Files that a provider sends about the payout of funds.
  'settlement files',
  // The account of that name on Unix systems.
  `'nobody'`,
  '"nobody"',
];

// Texts of pages that people had to puzzle over, and what pages say instead.
const onPages: readonly (readonly [RegExp, string])[] = [
  [/Late truths/, 'Unexpected payments'],
  [/\bProposals(?=['"<])|[Vv]erdicts that the provider does not prove/, 'Approvals'],
  [/['">]Released\b/, 'Not charged'],
  [/Time to truth/, 'Time to resolve'],
  [/Look again|being looked into/, 'Process again'],
  [/No look is overdue/, 'No check overdue'],
  [/About nothing of ours/, 'Not related to this shop'],
  [/at work, for all shops alike/, ' running'],
  [/Have the provider asked/, 'Ask the provider now and record its answer.'],
  [/That cannot be said/, 'Not possible.'],
  [/>What was asked</, '"Request"'],
  [/>To others</, 'Notifications sent'],
  [/Nobody has been told/, 'None sent yet'],
  [/Whenever, or never|Or not['"<]/, 'Any time'],
  [/Everybody/, 'Shared'],
  [/Single keys do something/, 'Enable single-key shortcuts'],
  [/Lease, in seconds/, 'Payment timeout'],
  [/[Oo]ne thing needs a look/, 'Please correct one thing'],
  [/Stay or leave/, 'You can close this page. You will be charged once.'],
  [/An earlier tap is still at work/, 'Your payment is already being processed.'],
  [
    /Do not pay again another way|tapping is safe/,
    'Please don’t pay again. We are checking with your bank and will update this page.',
  ],
  [/\bone wish\b/, 'one payment'],
  [/What a second request is/, 'What a repeated request gets'],
  [/provider[’']s own books/, 'Bank record'],
  [/This page could not be made/, 'Something went wrong'],
  [/Ask again now/, 'Try again now'],
];

const root = path.resolve(import.meta.dirname, '..');
const thisFile = path.join('src', 'words.test.ts');
const isText = /\.(tsx?|mjs|css|sql|prisma|md|yml)$|\.env\.example$/;
// The client is generated. The sandbox's migrations are never edited, and one of them renames a column to a plainer word.
const unedited = /^prisma\/client\/|^src\/sandbox\/store\/migrations\.ts$/;

function listFiles(): string[] {
  const folders = ['src', 'e2e', 'prisma'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
  );
  return [...folders, ...readdirSync(root)].filter(
    (file) => isText.test(file) && !unedited.test(file) && file !== thisFile,
  );
}

/** Parts of a name are words as well, such as `isSettled`; `allSettled` and `onSettled` are not ours. */
function wordsOf(text: string): string {
  return ordinary
    .reduce((left, phrase) => left.replaceAll(phrase, ''), text)
    .replace(/\b(all|on)Settled\b/g, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

const any = new RegExp(instead.map(([word]) => word.source).join('|'));

function privateWords(text: string): string[] {
  const words = wordsOf(text);
  if (!any.test(words)) return [];
  return words.split('\n').flatMap((line, index) =>
    instead.flatMap(([word, better]) => {
      const found = word.exec(line);
      return found ? [`${index + 1}: “${found[0]}”: ${better}`] : [];
    }),
  );
}

test('code, comments, pages and documents have no private words', () => {
  const files = listFiles();
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) =>
    privateWords(readFileSync(path.join(root, file), 'utf8')).map((one) => `${file}:${one}`),
  );
  expect(found).toEqual([]);
});

test('pages have the words that people read', () => {
  const pages = listFiles().filter((file) => /^src\/(app|ui|lab|payments)\/.*(?<!\.test)\.tsx?$/.test(file));
  const lines = pages.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const);
  // Not in comments.
  const texts = lines.map(([file, text]) => [file, text.replace(/^\s*(\/\/|\/?\*).*$/gm, '')] as const);
  for (const [puzzling, better] of onPages) {
    expect(
      texts.filter(([, text]) => puzzling.test(text)).map(([file]) => file),
      better,
    ).toEqual([]);
    expect(
      texts.some(([, text]) => text.replace(/\s+/g, ' ').includes(better)),
      better,
    ).toBe(true);
  }
});

test.each([
  'Nobody pays twice.',
  'const settledAt = now();',
  'unknown_doubted_at',
  'const isSettled = true;',
  'It is told apart.',
])('a private word is found: %s', (line) => {
  expect(privateWords(line)).toHaveLength(1);
});

test.each(['await Promise.allSettled(all);', 'days, for settlement files', 'the household'])(
  'an ordinary one is not: %s',
  (line) => {
    expect(privateWords(line)).toEqual([]);
  },
);
