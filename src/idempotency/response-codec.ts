import type { OperationDefinition } from './operation.ts';
import type { ResponseCipher } from './ports.ts';
import type { OperationRecord, OperationResponse, SealedResponse } from './record.ts';

/** Seals responses for storage, and opens them as they were stored or upgraded to the current schema. */
export interface ResponseCodec<Tx> {
  seal(operation: OperationDefinition<Tx>, recordId: string, response: OperationResponse): SealedResponse;
  open(operation: OperationDefinition<Tx>, record: OperationRecord): OperationResponse | undefined;
}

export function createResponseCodec<Tx>(cipher: ResponseCipher): ResponseCodec<Tx> {
  return {
    seal(operation, recordId, { status, body }) {
      return { status, ...cipher.seal(recordId, body), schemaVersion: operation.responseSchemaVersion };
    },
    open(operation, record) {
      const { response } = record;
      if (!response) return undefined;
      const body = cipher.open(record.id, response);
      const { upgradeResponse } = operation;
      if (!upgradeResponse || response.schemaVersion >= operation.responseSchemaVersion) {
        return { status: response.status, body };
      }
      const upgraded = upgradeResponse(JSON.parse(body), response.schemaVersion);
      return { status: response.status, body: JSON.stringify(upgraded) };
    },
  };
}
