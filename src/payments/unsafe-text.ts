/**
 * Characters that no name, reference or reason needs: PostgreSQL refuses some (NUL, half of a surrogate pair), and others make
 * a text look like another one (control characters, marks that change the direction of writing). Line breaks and tabs are
 * text.
 */
const unsafe = /(?![\n\r\t])\p{Cc}|\p{Bidi_Control}/u;

export const unsafeTextMessage =
  'must not contain control characters, marks of writing direction, or broken characters';

/** The path of the first text with such characters, for instance `lines.0.name`. Undefined: there is none. */
export function findUnsafeText(value: unknown): string | undefined {
  // A list instead of recursion: a body of brackets alone is nested deeper than the stack.
  const waiting: { readonly value: unknown; readonly path: string }[] = [{ value, path: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: current, path } = next;
    if (typeof current === 'string' && isUnsafe(current)) return path || 'input';
    if (typeof current !== 'object' || current === null) continue;
    for (const [name, inner] of Object.entries(current).reverse()) {
      if (isUnsafe(name)) return path || 'input';
      waiting.push({ value: inner, path: path ? `${path}.${name}` : name });
    }
  }
  return undefined;
}

/** What a reader does not see: characters of no width, and the Braille pattern without dots. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** How long a text is for the person who reads it. Text of invisible characters alone says as little as an empty one. */
export function readableLength(text: string): number {
  return text.replace(invisible, '').trim().length;
}

function isUnsafe(text: string): boolean {
  return !text.isWellFormed() || unsafe.test(text);
}
