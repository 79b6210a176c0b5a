import type { Saved } from '#console/operations-list/saved-views.ts';

/** Why a view could not be saved or renamed; undefined when it was. */
export function savedCopy(saved: Saved | undefined): string | undefined {
  switch (saved?.kind) {
    case 'name_taken':
      return 'You already have a view with this name.';
    case 'too_many':
      return 'You cannot save more views. Delete one first.';
    default:
      return undefined;
  }
}
