/** Single keys are shortcuts only outside of text fields and dialogs. */
export function isForShortcuts(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
    return false;
  if (!shortcutsOn() || document.querySelector('[role=dialog], [role=menu]')) return false;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return true;
  if (target.isContentEditable || target.matches('textarea, select')) return false;
  return (
    !(target instanceof HTMLInputElement) || ['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  );
}

const setting = 'paidonce.shortcuts';

/** Users of speech input can turn them off: WCAG 2.1.4. */
export function shortcutsOn(): boolean {
  return localStorage.getItem(setting) !== 'off';
}

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(setting);
  else localStorage.setItem(setting, 'off');
}

export const shortcutList: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'Jump anywhere'],
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['r', 'Reconcile the row, if it is unknown'],
  ['n', 'Show what is new'],
  ['?', 'This list'],
];
