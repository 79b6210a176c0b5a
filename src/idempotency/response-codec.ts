import type { OperationDefinition } from './operation.ts';
import { type ResponseCipher, ResponseUnreadable } from './ports.ts';
import type { OperationRecord, OperationResponse, SealedResponse } from './record.ts';
import { readBody, writeBody } from './response-body.ts';

/** Seals responses for storage, and opens them as they were stored or upgraded to the current schema. */
export interface ResponseCodec<Tx> {
  seal(operation: OperationDefinition<Tx>, recordId: string, response: OperationResponse): SealedResponse;
  /** Throws `ResponseUnreadable` if the record has a response and this process cannot read it. */
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
      const body = openBody(record.id, response);
      const { upgradeResponse } = operation;
      if (!upgradeResponse || response.schemaVersion >= operation.responseSchemaVersion) {
        return { status: response.status, body };
      }
      const upgraded = upgradeResponse(readBody(body), response.schemaVersion);
      return { status: response.status, body: writeBody(upgraded) };
    },
  };

  function openBody(recordId: string, response: SealedResponse): string {
    try {
      return cipher.open(recordId, response);
    } catch (error) {
      throw new ResponseUnreadable(recordId, error);
    }
  }
}
