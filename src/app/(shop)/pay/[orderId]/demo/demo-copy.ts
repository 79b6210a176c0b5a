import type { Tone } from '#ui/notice.tsx';
import { countSent, type Fate, type SentRequest, type Story } from './journal.ts';

/** All that the bar knows at one moment: what this tab sent, how the line is, and what both sides have on record. */
export interface Scene extends Story {
  readonly cut: boolean;
  readonly silent: boolean;
  /** The record of the key; undefined while the shop has none. */
  readonly status: 'in_progress' | 'completed' | 'failed_retryable' | 'unknown' | 'expired' | undefined;
  /** In the provider's ledger. */
  readonly charges: number;
  /** The order's total, as it is shown. */
  readonly amount: string;
}

export interface SceneWords {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
}

/** One thing at a time, and the most telling first. Nothing is said that the scene does not show. */
export function sceneWords(scene: Scene): SceneWords {
  if (scene.charges > 1) return overcharged(scene);
  if (scene.cut) return cutWords(scene);
  if (scene.status === 'completed') return endWords(scene);
  if (scene.silent) return silentWords(scene);
  if (scene.status === 'unknown') {
    return {
      tone: 'unknown',
      title: 'The outcome is not known yet.',
      body: 'Only evidence ends this: the bank’s webhook, or its answer to a question. Waiting does not make it a failure.',
    };
  }
  if (scene.status === 'failed_retryable') {
    return {
      tone: 'warn',
      title: 'It is proven that nothing was charged.',
      body: 'So the same key may be carried out again.',
    };
  }
  if (scene.status === 'in_progress' || scene.requests.some(({ fate }) => fate.kind === 'waiting')) {
    return {
      tone: 'busy',
      title: 'The payment is being carried out.',
      body: 'The shop wrote the key down before it did anything else.',
    };
  }
  return quietWords(scene);
}

function overcharged({ charges }: Scene): SceneWords {
  return {
    tone: 'danger',
    title: `The bank charged ${charges} times.`,
    body: 'That must never happen. If you see this, you have found a bug: please report it.',
  };
}

function cutWords({ requests, charges, amount }: Scene): SceneWords {
  if (!requests.some(({ fate }) => fate.kind === 'answer_lost')) {
    return {
      tone: 'warn',
      title: 'Nothing gets out.',
      body: 'The shop and the bank know of nothing. The page keeps trying by itself, always with the same key.',
    };
  }
  const taken = charges === 1 ? `The bank has taken ${amount}, and t` : 'T';
  return {
    tone: 'warn',
    title: 'The shop has the payment; its answer was lost.',
    body: `${taken}his page cannot know. So it repeats the payment, under the same key.`,
  };
}

function silentWords({ charges, status, amount }: Scene): SceneWords {
  if (charges === 0) {
    return {
      tone: 'busy',
      title: 'The bank does not answer for this order.',
      body: 'It still does what it is asked. It only says nothing about it, to anybody.',
    };
  }
  return {
    tone: 'unknown',
    title: `The bank has taken ${amount} and says nothing.`,
    body:
      status === 'unknown'
        ? 'So the record says unknown, not failed. Nobody pays again before the bank has spoken.'
        : 'The shop waits for its answer, and will not guess.',
  };
}

function endWords(scene: Scene): SceneWords {
  const sent = countSent(scene);
  if (scene.charges === 0) {
    return {
      tone: 'plain',
      title: 'Declined: nothing was charged.',
      body: 'That is an answer like any other. It is stored, and a repeat of the request would get it again.',
    };
  }
  return { tone: 'ok', title: `${howMany(sent, 'request')} sent, one charge.`, body: lesson(scene, sent) };
}

/** What this run showed, said with what was seen in it. */
function lesson({ clicks, requests }: Scene, sent: number): string {
  const replayed = requests.find(({ fate }) => fate.kind === 'answered' && fate.replayed);
  const refused = requests.find(({ fate }) => fate.kind === 'answered' && fate.status === 409);
  if (requests.some(({ twin }) => twin)) {
    const other = refused
      ? `Try ${refused.n} was told that the first is still at work`
      : `Try ${replayed?.n ?? 2} was given the answer of the first`;
    return `The same payment arrived ${sent === 2 ? 'twice' : `${sent} times`}. The key let one of them through. ${other}. Without the key, each would have been a charge.`;
  }
  if (replayed && sent > 1) {
    return `Try ${replayed.n} was answered from the record; the bank was not asked again. Without the key, the shop could not have told it from a second purchase.`;
  }
  if (requests.some(({ fate }) => fate.kind === 'never_left')) {
    return 'What never left could not charge, and what got through carried the same key as every try before it.';
  }
  if (requests.some(({ fate }) => fate.kind === 'answered' && fate.said === 'pending')) {
    return 'The shop had no answer and did not make one up. When the bank spoke again, the record was settled with what it said.';
  }
  if (clicks > sent) {
    return `${howMany(clicks, 'click')}, but the page knew that the first was under way. Had it sent more, the key would have stopped them.`;
  }
  return 'The plain case. Now try to spoil it.';
}

function quietWords({ clicks, requests }: Scene): SceneWords {
  if (requests.length > 0) {
    return { tone: 'plain', title: 'The line is whole.', body: 'The next try comes by itself.' };
  }
  if (clicks > 0) {
    return {
      tone: 'plain',
      title: 'Nothing was sent.',
      body: 'The form asks for something first; it says what.',
    };
  }
  return {
    tone: 'plain',
    title: 'Nothing has been sent yet.',
    body: 'Choose a mishap. It presses the form’s own button for you, then really happens to the real request.',
  };
}

export function howMany(count: number, thing: string): string {
  const words = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  return `${words[count] ?? count} ${thing}${count === 1 ? '' : 's'}`;
}

export function fateWords({ fate, twin }: SentRequest): string {
  const words = wordsOf(fate);
  return twin ? `${words} (the twin)` : words;
}

function wordsOf(fate: Fate): string {
  switch (fate.kind) {
    case 'waiting':
      return 'waiting for an answer';
    case 'never_left':
      return 'never left this page';
    case 'answer_lost':
      return 'arrived; its answer was lost';
    case 'failed':
      return 'lost by the network itself';
    case 'left_behind':
      return 'the page was closed first';
    case 'answered':
      return `${fate.status} in ${duration(fate.ms)}${answerWords(fate.said, fate.replayed)}`;
  }
}

function answerWords(said: string | undefined, replayed: boolean): string {
  if (replayed) return ': the stored answer';
  if (said === 'succeeded') return ': paid';
  if (said === 'pending') return ': not known yet';
  if (said === 'idempotency_key_in_progress') return ': still at work';
  return said ? `: ${said.replaceAll('_', ' ')}` : '';
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
