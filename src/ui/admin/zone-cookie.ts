/** Holds the name of the browser's time zone, so that the server renders times and reads days in it. */
export const zoneCookie = 'paidonce.zone';
