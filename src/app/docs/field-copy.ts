import { operationNames } from '#payments/operations/copy.ts';
import { operationFields, operationFieldsInContext } from '#server/http-api/reference.ts';

/** Descriptions of fields whose schema has none, by field name. */
const descriptions = new Map([
  ...Object.entries(operationFields),
  ['amountMinor', 'How much, in the minor unit of the currency: 1200 is 12.00 USD, or 1200 JPY.'],
  ['currency', 'Three-letter ISO code, in lower case.'],
  ['operationId', 'The operation’s id: what this key stands for, and where to look it up.'],
  ['operation', `What was asked for: ${alternatives(operationNames)}.`],
  ['status', 'How it stands.'],
  ['attempt', 'How many times execution has been granted under this key.'],
  ['errorCode', 'Why the last attempt did not end in an answer.'],
  ['resource', 'What the operation made.'],
  ['type', 'What kind of thing it is.'],
  ['id', 'Its id.'],
  ['body', 'The stored answer, as it was sent.'],
  ['url', 'The address to send the shopper to.'],
  ['action', 'What to do now.'],
  ['code', 'The problem in one word, for programs. It never changes its meaning.'],
  ['detail', 'This occurrence in words, for people.'],
  ['title', 'The problem in words.'],
  ['newKey', 'Whether the same request under a new key could take effect twice.'],
  ['statusUrl', 'Where the outcome can be read.'],
  ['createdAt', 'When it began.'],
  ['updatedAt', 'When it last changed.'],
  ['completedAt', 'When it ended.'],
  ['data', 'What was found. Empty when nothing of yours has this key.'],
  ['key', 'The key the operation was asked for with.'],
]);

/** Fields whose name has another meaning in one schema. */
const inContext = new Map([
  ...Object.entries(operationFieldsInContext),
  ['Problem.type', 'The address of the page that explains the problem.'],
  ['Problem.status', 'The HTTP status, once more.'],
  ['Operation.response.status', 'The HTTP status of the stored answer.'],
  ['path.id', 'The id, as it was answered.'],
]);

export function fieldCopy(context: string, name: string): string | undefined {
  return inContext.get(`${context}.${name}`) ?? descriptions.get(name);
}

/** "one, two or three" */
function alternatives(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}
