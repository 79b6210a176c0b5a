export interface MailSettings {
  /** Absent: e-mails are kept instead of sent. */
  readonly smtpUrl?: string | undefined;
  readonly from?: string | undefined;
}

export interface OutgoingEmail {
  readonly id: string;
  readonly toAddress: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export type MailResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly error: string; readonly final: boolean };

export type Mailer = (email: OutgoingEmail) => Promise<MailResult>;

/** A mail server that sends nothing for this long is given up. */
const timeoutMs = 10_000;

/** A connection per message: receipts are few, and a pool would have to be watched and closed. */
export function createMailer(settings: MailSettings): Mailer | undefined {
  const { smtpUrl, from } = settings;
  if (!smtpUrl || !from) return undefined;
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'paidonce';

  return async (email) => {
    try {
      await (await openTransport(smtpUrl)).sendMail({
        from,
        to: email.toAddress,
        subject: email.subject,
        html: email.html,
        text: email.text,
        // The same for every attempt: a server or reader that sees it twice knows that it is one message.
        messageId: `<${email.id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: 'failed', error: errorText(error), final: isRefused(error) };
    }
  };
}

/** Loaded with the first e-mail, so that a worker does not start later for it. */
async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * A 5xx about the recipient or the message is final. A 5xx before that (log-in, sender) is about our
 * settings, which can be put right.
 */
function isRefused(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as { responseCode?: number; command?: string };
  return responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
}

function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
