/**
 * The emails that Fairlead sends, as plain text and simple HTML. Names in them come from users: they are reduced to one
 * line, truncated and escaped, so that nobody can use them to send their own text under our name.
 */
import type { MailMessage } from './mailer.ts';

type Content = Omit<MailMessage, 'to'>;

const MAX_NAME = 80;
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!);

/** Invisible. Keeps mail programs from turning `evil.example` or `a@b` in a name into a link. */
const WORD_JOINER = '\u2060';

/** Reduces a name to one line without control characters, direction marks or text that becomes a link. */
function plainName(name: string): string {
  const line = name.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const signs = Array.from(line);
  const cut = signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME - 1).join('')}…` : line;
  return cut.replace(/([.:/@])(?=\S)/g, `$1${WORD_JOINER}`);
}

const formatTime = (time: Date): string =>
  `${time.toLocaleDateString('en-US', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })} at ${time.toISOString().slice(11, 16)} UTC`;

interface Letter {
  subject: string;
  paragraphs: string[];
  action: { label: string; link: string };
  footer: string;
}

function write({ subject, paragraphs, action, footer }: Letter): Content {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font-family:system-ui,sans-serif;font-size:15px;line-height:1.5;color:#1a2b2e;max-width:36em">',
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    `<p><a href="${escapeHtml(action.link)}" style="display:inline-block;padding:10px 18px;border-radius:6px;`,
    `background:#0b6e78;color:#ffffff;text-decoration:none">${escapeHtml(action.label)}</a></p>`,
    `<p style="color:#5b6b6e;font-size:13px">Or copy this link into your browser: ${escapeHtml(action.link)}</p>`,
    `<p style="color:#5b6b6e;font-size:13px">${escapeHtml(footer)}</p>`,
    '</body></html>',
  ].join('\n');
  return {
    subject,
    text: [...paragraphs, `${action.label}:\n${action.link}`, footer].join('\n\n') + '\n',
    html,
  };
}

export function invitationMail(given: {
  workspaceName: string;
  inviterName: string;
  role: string;
  link: string;
  expiresAt: Date;
}): Content {
  const [workspace, inviter] = [plainName(given.workspaceName), plainName(given.inviterName)];
  return write({
    subject: `${inviter} invited you to join ${workspace} on Fairlead`,
    paragraphs: [
      `${inviter} invited you to join the workspace “${workspace}” on Fairlead. Your role will be ${given.role}.`,
    ],
    action: { label: 'Accept invitation', link: given.link },
    footer: `This link expires on ${formatTime(given.expiresAt)} and can be used once. If you weren’t expecting this invitation, you can ignore this email.`,
  });
}

export function passwordResetMail(given: { name: string; link: string; minutes: number }): Content {
  return write({
    subject: 'Reset your Fairlead password',
    paragraphs: [
      `Hi ${plainName(given.name)},`,
      'We received a request to reset the password of your Fairlead account.',
    ],
    action: { label: 'Reset password', link: given.link },
    footer: `This link expires in ${given.minutes} minutes and can be used once. If you didn’t request a password reset, you can ignore this email. Your password won’t change.`,
  });
}

export function keyExpiresMail(given: {
  workspaceName: string;
  keyName: string;
  last4: string;
  expiresAt: Date;
  /** Whether what the key created is disabled when it expires. */
  disablesCreated: boolean;
  link: string;
}): Content {
  const [workspace, key] = [plainName(given.workspaceName), plainName(given.keyName)];
  return write({
    subject: `Your API key ${key} expires soon`,
    paragraphs: [
      `The API key “${key}” (ending in ${given.last4}) in the workspace “${workspace}” expires on ${formatTime(given.expiresAt)}.`,
      'After that, requests with this key will be rejected. If you still use it, rotate the key or extend its expiration.',
      given.disablesCreated
        ? 'The webhooks, rules, publishing endpoints, inspectors, instances and API keys that this key created will be disabled when it expires. You can see them on the key’s page.'
        : 'Webhooks, rules and other objects that this key created will stay enabled. You can see them on the key’s page.',
    ],
    action: { label: 'View API key', link: given.link },
    footer: 'You received this email because you can manage API keys in this workspace.',
  });
}

export function webhookDisabledMail(given: {
  workspaceName: string;
  /** Host of the endpoint. */
  host: string;
  reason: 'gone' | 'failing';
  link: string;
}): Content {
  const [workspace, host] = [plainName(given.workspaceName), plainName(given.host)];
  const why =
    given.reason === 'gone'
      ? 'The endpoint responded that it is permanently gone (410).'
      : 'The endpoint hasn’t accepted a delivery for 5 days.';
  return write({
    subject: `Your webhook to ${host} was disabled`,
    paragraphs: [
      `We disabled a webhook to ${host} in the workspace “${workspace}”. ${why}`,
      'Pending deliveries were canceled, and new events aren’t sent to this webhook. Once the endpoint works again, enable the webhook and replay the missed events.',
    ],
    action: { label: 'View webhook', link: given.link },
    footer: 'You received this email because you are an owner or admin of this workspace.',
  });
}
