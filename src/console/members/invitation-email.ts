import type { Role } from './membership.ts';

/** Composed here because the e-mail renderer belongs to the worker and is not loaded in the app. */
export function renderInvitation(invitation: {
  readonly shopName: string;
  readonly role: Role;
  readonly inviter: string;
  readonly link: string;
  readonly hours: number;
}): { subject: string; html: string; text: string } {
  const { shopName, inviter, link, hours } = invitation;
  const opening = `${inviter} invites you to work with ${shopName} on Paidonce as ${withArticle(invitation.role)}.`;
  const closing = `The link works once, for ${hours} hours. If you did not expect it, do nothing.`;
  return {
    subject: `Invitation to ${shopName}`,
    text: [opening, '', 'Accept the invitation:', link, '', closing, ''].join('\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(`Invitation to ${shopName}`)}</title></head>
<body style="margin:0;padding:32px 16px;background:#f6f5f2;color:#1c1b19;font:16px/1.6 system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:16px">
<p style="margin:0 0 24px">${escapeHtml(opening)}</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 20px;border-radius:12px;background:#1c1b19;color:#ffffff;text-decoration:none">Accept the invitation</a></p>
<p style="margin:0;color:#5c5952;font-size:14px">${escapeHtml(closing)}</p>
</div>
</body>
</html>
`,
  };
}

function withArticle(role: Role): string {
  return /^[aeiou]/.test(role) ? `an ${role}` : `a ${role}`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
