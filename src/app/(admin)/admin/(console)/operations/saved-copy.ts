import type { Saved } from '#console/operations-list/saved-views.ts';

/** What went wrong with saving or renaming a view; undefined when nothing did. */
export async function savedWords(save: () => Promise<Saved>): Promise<string | undefined> {
  try {
    const saved = await save();
    switch (saved.kind) {
      case 'saved':
        return undefined;
      case 'name_taken':
        return 'You have a view of that name.';
      case 'too_many':
        return 'You have as many views as there can be. Delete one first.';
    }
  } catch (error) {
    return error instanceof Error ? error.message : 'The server did not answer.';
  }
}
