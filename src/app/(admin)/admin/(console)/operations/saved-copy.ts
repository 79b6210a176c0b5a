import type { Saved } from '#console/operations-list/saved-views.ts';

/** Why a view could not be saved or renamed; undefined when it was. */
export async function savedCopy(save: () => Promise<Saved>): Promise<string | undefined> {
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
