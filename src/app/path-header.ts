/** Set by src/proxy.ts: the path and query of the page that is rendered, which server components cannot know otherwise. */
export const pathHeader = 'x-paidonce-path';
