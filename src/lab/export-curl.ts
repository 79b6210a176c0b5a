import type { RunRequest } from './run.ts';
import { ordinaryCard, type Step } from './scenario.ts';
import { seeded } from './seed.ts';

interface Addresses {
  readonly app: string;
  readonly sandbox: string;
}

type Paying = Extract<Step, { do: 'pay' | 'send' }>;

/**
 * The run as a shell script. Where requests and the provider's test cards are enough, the script sends them itself. A fault
 * that needs a server to be killed or cut off is run by the lab, over its own API. Both exit with 1 unless the promise is kept.
 */
export function exportCurl(request: RunRequest, addresses: Addresses): string {
  const { scenario, seed } = request;
  const header = `#!/bin/sh
# ${scenario.title}, seed ${seed}. ${scenario.story}
# Save it as lab.sh, and run it while Paidonce runs: sh lab.sh
set -eu
APP=\${APP:-${addresses.app}}
`;
  const steps = scenario.steps.filter((step) => step.do === 'pay' || step.do === 'send');
  const isPlain = !scenario.fault && steps.length === scenario.steps.length;
  return header + (isPlain ? plainScript(request, steps, addresses) : labScript(request));
}

function plainScript(request: RunRequest, steps: readonly Paying[], { sandbox }: Addresses): string {
  return `SANDBOX=\${SANDBOX:-${sandbox}}
# That of the first demo shop, if this is run in the checkout.
API_KEY=\${API_KEY:-$(sed -n 's/.*"apiKey": *"\\([^"]*\\)".*/\\1/p' .data/demo.json 2>/dev/null | head -n 1)}
: "\${API_KEY:?Set it to an apiKey of .data/demo.json.}"
RUN=$(date +%s)-$$

# send KEY AMOUNT CARD: one request; prints the body and the status.
send() {
  curl -sS -w ' %{http_code}\\n' "$APP/api/v1/payments" \\
    -H "Authorization: Bearer $API_KEY" -H "Idempotency-Key: lab-curl-$RUN-$1" \\
    -H 'Content-Type: application/json' \\
    -d "{\\"amountMinor\\":$2,\\"currency\\":\\"eur\\",\\"paymentMethod\\":\\"$3\\",\\"reference\\":\\"lab-curl-$RUN\\"}"
}

# follow BODY: reads the operation until its outcome is known; prints what became of it.
follow() {
  operation=$(echo "$1" | sed 's/.*"operationId":"\\([^"]*\\)".*/\\1/')
  while :; do
    status=$(curl -sS "$APP/api/v1/operations/$operation" -H "Authorization: Bearer $API_KEY" |
      sed 's/.*"status":"\\([a-z_]*\\)".*/\\1/')
    case $status in unknown | in_progress) sleep 1 ;; *) break ;; esac
  done
  echo "the outcome is known: $status"
}

# pay KEY AMOUNT CARD: the same request under the same key until the outcome is known. With a fourth argument it ends also
# when the bank has not charged and the key is released, as a shopper does who takes another card.
pay() {
  while :; do
    answer=$(send "$1" "$2" "$3" || true)
    echo "$answer"
    case $answer in
      *' 202')
        followed=$(follow "$answer")
        echo "$followed"
        case $followed\${4:-} in *failed_retryable?*) return 0 ;; esac
        ;;
      *idempotency_key_in_progress*' 409' | *' 5'?? | '') sleep 1 ;;
      *) return 0 ;;
    esac
  done
}

${steps.map((step) => stepLine(request, step)).join('\n')}

echo 'The provider’s own ledger:'
ledger=$(curl -sS "$SANDBOX/_sandbox/charges?reference=lab-curl-$RUN")
echo "$ledger"
[ "$(echo "$ledger" | grep -o '"status":"succeeded"' | wc -l)" -eq 1 ]
`;
}

function stepLine({ scenario, seed }: RunRequest, step: Paying): string {
  const { keys = ['A'], callers = 1, amount, card = scenario.card ?? ordinaryCard } = step;
  const { amountMinor, otherAmountMinor } = seeded(seed);
  const money = amount === 'other' ? otherAmountMinor : amountMinor;
  const until = step.do === 'pay' && step.stopWhenReleased ? ' or_released' : '';
  const calls = keys.map((key) => `${step.do} ${key} ${money} ${card}${until}`);
  if (callers > 1) return `for caller in $(seq ${callers}); do ${calls.join(' & ')} & done; wait`;
  return calls.length > 1 ? `${calls.join(' & ')} & wait` : `${calls[0]}`;
}

function labScript({ scenario, seed, cut }: RunRequest): string {
  const input = JSON.stringify({ scenario: scenario.name, seed, ...(cut && { cut }) });
  return `
# It needs a server that is killed, frozen or cut off, or a short replay window. The lab has those, so the lab runs it.
started=$(curl -sS "$APP/api/trpc/lab.start" -H 'Content-Type: application/json' -d '${input}')
case $started in *'"runId"'*) ;; *) echo "The lab refused: $started" >&2; exit 1 ;; esac
run=$(echo "$started" | sed 's/.*"runId":"\\([^"]*\\)".*/\\1/')
while :; do
  view=$(curl -sSfG "$APP/api/trpc/lab.read" --data-urlencode "input={\\"runId\\":\\"$run\\"}")
  case $view in *'"status":"running"'*) sleep 1 ;; *) break ;; esac
done
echo "$view" | sed 's/.*"sentence":"\\([^"]*\\)".*/\\1/'
case $view in *'"kept":true'*) ;; *) exit 1 ;; esac
`;
}
