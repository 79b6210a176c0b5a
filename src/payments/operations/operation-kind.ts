import type { z } from 'zod';
import type {
  EffectState,
  Execution,
  OperationDefinition,
  OperationRef,
  OperationRequest,
  Problem,
  ProblemSpec,
  Status,
  Verdict,
} from '#idempotency/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import type { EventFollower } from '../event-follower.ts';
import type { Investigator, InvestigatorOf } from '../investigator.ts';
import type { Money } from '../money.ts';
import type { PaymentProvider } from '../provider.ts';
import type { ProviderSnapshot } from '../provider-snapshot.ts';
import type { OperationName, OwnStateOf, ProviderStateOf, RecoveryPointOf } from './copy.ts';

type Tx = Prisma.TransactionClient;
type Sql = Prisma.Sql;

/**
 * One kind of operation: everything that the rest of the app has to know of it, except its texts (copy.ts). All that is
 * particular to it is in its folder; everything else reads registry.ts and treats all kinds alike.
 */
export interface OperationKind<Command = unknown, Body = unknown> {
  readonly definition: OperationDefinition<Tx> & { readonly name: OperationName };
  /** The refusals that only this operation has. Each has a page, and is a `type` of the HTTP API. */
  readonly problems: Readonly<Record<string, ProblemSpec>>;
  readonly command: z.ZodType<Command>;
  /** The domain rows that are inserted by the statement that claims the key, if there are any. */
  atClaim?(command: Command): NonNullable<OperationRequest['atClaim']>;
  /** Executes one attempt. */
  handle(
    provider: PaymentProvider,
    execution: Execution<Tx>,
    command: Command,
    checkPurchase?: PurchaseCheck,
  ): Promise<Verdict<Body, Tx>>;
  createInvestigator(parts: KindParts): Investigator;
  /** `followsNothing` where no event can concern it once it is over. */
  createFollower(parts: KindParts): EventFollower;
  /** The rows of a table that compares our record with the provider's; the state is not one of them. */
  compareFacts(ours: OurSide, snapshot: ProviderSnapshot): readonly FactOfBothSides[];
  /** Which of the provider's states agree with each state of ours. */
  readonly agreeingStates: Readonly<Partial<Record<string, readonly string[]>>>;
  readonly rows: OperationRows;
  /** Null: merchants cannot call it over HTTP. */
  readonly http: OperationHttp | null;
  readonly metrics: OperationMetrics;
}

/**
 * What is known of the thing that is paid, outside of payments: a problem is why it is not charged. Asked when the payment is
 * committed and nothing was sent.
 */
export type PurchaseCheck = (
  payment: Money & { readonly tenantId: string; readonly reference: string },
) => Promise<Problem | undefined>;

/** The kind of one operation, in the vocabulary of its copy: each key there has to be used, and no other can be. */
export interface KindOf<Name extends OperationName, Command = unknown, Body = unknown>
  extends OperationKind<Command, Body> {
  readonly definition: DefinitionOf<Name>;
  createInvestigator(parts: KindParts): InvestigatorOf<Name>;
  readonly agreeingStates: Readonly<Record<OwnStateOf<Name>, readonly ProviderStateOf<Name>[]>>;
  readonly rows: OperationRows<Name>;
}

export interface KindParts {
  readonly db: PrismaClient;
  readonly provider: PaymentProvider;
}

export type DefinitionOf<Name extends OperationName> = Omit<OperationDefinition<Tx>, 'recoveryPoints'> & {
  readonly name: Name;
  /** `claimed` is listed too, so that its effect state is never a default. */
  readonly recoveryPoints: Readonly<Record<RecoveryPointOf<Name>, EffectState>>;
};

/** Where the operation's own row is and how it is found, for statements that read the rows of many kinds. */
export interface OperationRows<Name extends OperationName = OperationName> {
  /** A SELECT of `moneyColumns` by the operation's id: one row, or none if this is no operation of this kind. */
  money(tenantId: Sql, operationId: Sql): Sql;
  /** A SELECT of (tenant_id, id) of the operations that belong to these payments (tenant_id, id, operation_id). */
  ofPayments(payments: Sql, limit: number): Sql;
  /** A SELECT of (tenant_id, id) by what the provider calls it; null where that is the payment's intent. */
  readonly byProviderId: ((tenantId: string, providerId: string, limit: number) => Sql) | null;
  /**
   * A condition on `given`, an event of the provider with tenant_id, operation_id, object, object_id, intent_id and state: our
   * own row says the same, on the provider's evidence, so that nothing can be learned from the event.
   */
  readonly knows: Sql;
  /** For lists sorted by amount: a table with tenant_id, operation_id, amount_minor and status, and an index of them. */
  readonly byAmount: {
    readonly table: Sql;
    /** Whether the index has the currency too. If not, each row is checked by its payment's. */
    readonly hasCurrency: boolean;
    /** The states of its row while its record has a status. A missing one would hide rows; a superfluous one costs a scan. */
    readonly statesOf: Readonly<Record<Status, readonly [OwnStateOf<Name>, ...OwnStateOf<Name>[]]>>;
  };
}

/** How the HTTP API and its reference show the operation: `POST /api/v1/<collection>`, and perhaps a GET of what it made. */
export interface OperationHttp {
  readonly collection: string;
  /** What an API key has to be for. */
  readonly scope: 'pay' | 'refund';
  readonly summary: string;
  readonly description: string;
  readonly request: {
    /** Of the schema in the OpenAPI description; the schema itself is the kind's command. */
    readonly name: string;
    /** Fields that mean something else here than elsewhere. */
    readonly fields?: Readonly<Record<string, string>>;
  };
  readonly response: { readonly name: string; readonly schema: z.ZodType };
  readonly read?: {
    readonly summary: string;
    readonly name: string;
    readonly schema: z.ZodType;
    find(db: Tx, tenantId: string, id: string): Promise<object | undefined>;
    readonly fields?: Readonly<Record<string, string>>;
  };
  /** What its own problems have besides what all have. */
  readonly problemFields?: Readonly<Record<string, z.ZodOptional>>;
  /** Texts for the fields that only this operation has. A name means the same everywhere. */
  readonly fields: Readonly<Record<string, string>>;
  /** Values for the fields of its examples. */
  readonly examples: Readonly<Record<string, ExampleValue>> & {
    readonly resource: { readonly type: string; readonly id: string };
  };
  /** Added to the response while the outcome is not known. */
  describePending?(db: Tx, operation: OperationRef): Promise<object>;
}

export type ExampleValue = string | number | null | { readonly [name: string]: ExampleValue };

export interface OperationMetrics {
  /** What the charts of the console count its beginnings as. Stored: it never changes. */
  readonly activity: string;
  /** For operations that charge: the causes with which a second charge was refused, besides a repeated key. */
  readonly duplicateCharge: { readonly refusedAs: readonly string[] } | null;
}

/** Our record of an operation, to be compared with the provider's. */
export interface OurSide {
  /** Its own row. For a payment that is the payment's. */
  readonly own: {
    readonly amount: Money;
    readonly status: string;
    readonly providerId: string | null;
  };
  readonly payment: {
    readonly reference: string;
    readonly chargeId: string | null;
    readonly declineCode: string | null;
    readonly createdAt: string;
  };
}

/** One fact as we have it and as the provider has it. */
export interface FactOfBothSides {
  readonly name: string;
  readonly kind: 'text' | 'code' | 'time' | 'state';
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly differs: boolean;
}
