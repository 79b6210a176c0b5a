import { apiKinds, type ExampleValue } from '#payments/index.ts';

/** What the reference of the API shows of the operations, besides their OpenAPI description. */

const [firstKind] = apiKinds;
if (!firstKind) throw new Error('The API has no operation.');

/** Texts for the fields of requests and responses. A name means the same everywhere. */
export const operationFields: Readonly<Record<string, string>> = Object.assign(
  {},
  ...apiKinds.map(({ http }) => http.fields),
);

/** Except in these schemas: `<schema>.<field>`. */
export const operationFieldsInContext: Readonly<Record<string, string>> = Object.fromEntries(
  apiKinds.flatMap(({ http: { request, read } }) =>
    [request, ...(read ? [read] : [])].flatMap(({ name, fields = {} }) =>
      Object.entries(fields).map(([field, text]) => [`${name}.${field}`, text]),
    ),
  ),
);

/** Values for examples, by the names of fields. */
export const operationExamples: Readonly<Record<string, ExampleValue>> = {
  ...Object.assign({}, ...apiKinds.map(({ http }) => http.examples)),
  // The example of a record is that of the first operation.
  operation: firstKind.definition.name,
  resource: firstKind.http.examples.resource,
};

/** The schema of the response that is stored in that record. */
export const exampleResponseSchema = firstKind.http.response.name;
