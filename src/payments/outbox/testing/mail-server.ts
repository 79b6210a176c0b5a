import { EventEmitter, on } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly messageId: string;
  readonly to: string[];
  readonly raw: string;
}

/** A real SMTP server. A message counts as delivered once it is received, also when the response is an error. */
export interface MailServer {
  readonly settings: { readonly smtpUrl: string; readonly from: string };
  readonly received: ReceivedMail[];
  /** Runs after a message was received and before the response is sent. */
  beforeAccepting: (mail: ReceivedMail) => void | Promise<void>;
  refusedRecipients: Set<string>;
  receive(count: number): Promise<ReceivedMail[]>;
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export async function openMailServer(): Promise<MailServer> {
  const arrivals = new EventEmitter();
  const received: ReceivedMail[] = [];
  const open = () =>
    new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      onRcptTo({ address }, _session, response) {
        if (!server.refusedRecipients.has(address)) return response();
        response(Object.assign(new Error('No such mailbox'), { responseCode: 550 }));
      },
      async onData(stream, session, response) {
        const raw = await text(stream);
        const mail = {
          raw,
          messageId: /^Message-ID: (.+)\r?$/im.exec(raw)?.[1]?.trim() ?? '',
          to: session.envelope.rcptTo.map(({ address }) => address),
        };
        received.push(mail);
        arrivals.emit('mail');
        await server.beforeAccepting(mail);
        response();
      },
    });
  let smtp = open();
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      // The tests kill senders, which breaks the connection.
      smtp.on('error', () => undefined);
      smtp.server.once('error', reject);
      smtp.listen(port, '127.0.0.1', () => resolve((smtp.server.address() as AddressInfo).port));
    });
  const port = await listen(0);

  const server: MailServer = {
    settings: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Receipts <receipts@shop.example>' },
    received,
    beforeAccepting: () => undefined,
    refusedRecipients: new Set(),
    async receive(count) {
      // The listener is added before the messages are read, so that none is missed in between.
      const coming = on(arrivals, 'mail', { signal: AbortSignal.timeout(60_000) });
      while (received.length < count) await coming.next();
      await coming.return?.();
      return received;
    },
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
    async restart() {
      smtp = open();
      await listen(port);
    },
  };
  return server;
}
