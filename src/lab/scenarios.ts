import type { Scenario } from './scenario.ts';
import { databaseRestart } from './scenarios/database-restart.ts';
import { doubleClick } from './scenarios/double-click.ts';
import { dropAfterSend } from './scenarios/drop-after-send.ts';
import { dropBeforeSend } from './scenarios/drop-before-send.ts';
import { expiredKey } from './scenarios/expired-key.ts';
import { keyPerCart } from './scenarios/key-per-cart.ts';
import { lateOwner } from './scenarios/late-owner.ts';
import { operatorResolves } from './scenarios/operator-resolves.ts';
import { otherAmount } from './scenarios/other-amount.ts';
import { provider500 } from './scenarios/provider-500.ts';
import { resetMidAnswer } from './scenarios/reset-mid-answer.ts';
import { retryStorm } from './scenarios/retry-storm.ts';
import { serverKilled } from './scenarios/server-killed.ts';
import { silentAfterCharging } from './scenarios/silent-after-charging.ts';
import { silentBeforeCharging } from './scenarios/silent-before-charging.ts';
import { twoTabs } from './scenarios/two-tabs.ts';
import { webhookFirst } from './scenarios/webhook-first.ts';
import { webhookOutOfOrder } from './scenarios/webhook-out-of-order.ts';
import { webhookTwice } from './scenarios/webhook-twice.ts';

/** In the order of the page and of `npm run lab -- --list`. */
export const scenarios: readonly Scenario[] = [
  doubleClick,
  twoTabs,
  retryStorm,
  dropAfterSend,
  dropBeforeSend,
  silentAfterCharging,
  silentBeforeCharging,
  resetMidAnswer,
  provider500,
  webhookTwice,
  webhookOutOfOrder,
  webhookFirst,
  serverKilled,
  lateOwner,
  databaseRestart,
  operatorResolves,
  otherAmount,
  keyPerCart,
  expiredKey,
];

export function findScenario(name: string): Scenario | undefined {
  return scenarios.find((scenario) => scenario.name === name);
}
