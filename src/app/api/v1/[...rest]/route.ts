import { notFound } from '#server/http-api/refuse-method.ts';
import { services } from '#server/services.ts';

/** Addresses of the API that do not exist get a problem, like everything else there, and not the page of the shop. */
const refuse = () => notFound(services());

export { refuse as DELETE, refuse as GET, refuse as PATCH, refuse as POST, refuse as PUT };
