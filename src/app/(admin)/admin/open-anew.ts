/**
 * Opens a page for another person or another shop, in a new document: what this one has read stays in its memory for minutes, and
 * would be shown to them. The way back does not lead to the page that is left, such as the sign-in.
 */
export function openAnew(path: string): void {
  window.location.replace(path);
}
