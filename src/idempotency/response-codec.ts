import type { OperationDefinition } from './operation.ts';
import type { AnswerCipher } from './ports.ts';
import type { Answer, OperationRecord, SealedAnswer } from './record.ts';

/** Puts answers into records and takes them out again, as they were or as today's clients expect them. */
export interface AnswerBox<Tx> {
  seal(operation: OperationDefinition<Tx>, recordId: string, answer: Answer): SealedAnswer;
  open(operation: OperationDefinition<Tx>, record: OperationRecord): Answer | undefined;
}

export function createAnswerBox<Tx>(cipher: AnswerCipher): AnswerBox<Tx> {
  return {
    seal(operation, recordId, { status, body }) {
      return { status, ...cipher.seal(recordId, body), schemaVersion: operation.responseSchemaVersion };
    },
    open(operation, record) {
      const { answer } = record;
      if (!answer) return undefined;
      const body = cipher.open(record.id, answer);
      const { upgradeAnswer } = operation;
      if (!upgradeAnswer || answer.schemaVersion >= operation.responseSchemaVersion) {
        return { status: answer.status, body };
      }
      const upgraded = upgradeAnswer(JSON.parse(body), answer.schemaVersion);
      return { status: answer.status, body: JSON.stringify(upgraded) };
    },
  };
}
