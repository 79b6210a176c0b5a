/**
 * Names the shop that a page of the console shows. A session has one shop open, and another tab may open another: what a person
 * does on a page is meant for the shop whose name is on it.
 */
export const shopHeader = 'x-shop';
