/**
 * The mails that Fairlead sends, as plain text and simple HTML. Names in them come from users: they are put on one
 * line, cut, and escaped, so that nobody can write a mail of their own under our name.
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

/** Keeps mail programs from making a link of `evil.example` or `a@b` in a name; it is not seen. */
const WORD_JOINER = '\u2060';

/** A name of somebody or something: one line, no controls or direction marks, nothing that becomes a link. */
function plainName(name: string): string {
  const line = name.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const signs = Array.from(line);
  const cut = signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME - 1).join('')}…` : line;
  return cut.replace(/([.:/@])(?=\S)/g, `$1${WORD_JOINER}`);
}

const day = (time: Date): string =>
  `${time.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })}, ${time.toISOString().slice(11, 16)} UTC`;

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
    `<p style="color:#5b6b6e;font-size:13px">Or open this address: ${escapeHtml(action.link)}</p>`,
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
    subject: `${inviter} invites you to ${workspace} on Fairlead`,
    paragraphs: [`${inviter} invites you to join the workspace “${workspace}” on Fairlead as ${given.role}.`],
    action: { label: 'Accept the invitation', link: given.link },
    footer: `The link works once, until ${day(given.expiresAt)}. If you did not expect it, ignore this mail.`,
  });
}

export function passwordResetMail(given: { name: string; link: string; minutes: number }): Content {
  return write({
    subject: 'Choose a new Fairlead password',
    paragraphs: [
      `Hello ${plainName(given.name)},`,
      'somebody, most likely you, asked to choose a new password for your Fairlead account.',
    ],
    action: { label: 'Choose a new password', link: given.link },
    footer: `The link works once, for ${given.minutes} minutes. If it was not you, ignore this mail: your password stays as it is.`,
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
    subject: `The API key ${key} expires soon`,
    paragraphs: [
      `The API key “${key}” (ends in ${given.last4}) of the workspace “${workspace}” expires on ${day(given.expiresAt)}.`,
      'From then on calls with it are refused. Rotate it, or give it a later expiry, if it is still in use.',
      given.disablesCreated
        ? 'The webhooks, rules, publishing endpoints, inspectors, instances and API keys that it created are disabled when it expires. The page of the key lists them.'
        : 'What it created, such as webhooks and rules, stays enabled after it expires. The page of the key lists it.',
    ],
    action: { label: 'Look at the key', link: given.link },
    footer: 'You get this mail because you look after API keys in this workspace.',
  });
}

export function webhookDisabledMail(given: {
  workspaceName: string;
  /** Host of the receiver. */
  host: string;
  reason: 'gone' | 'failing';
  link: string;
}): Content {
  const [workspace, host] = [plainName(given.workspaceName), plainName(given.host)];
  const why =
    given.reason === 'gone'
      ? 'its receiver responded that it is permanently gone (410)'
      : 'its receiver has not accepted a single delivery for 5 days';
  return write({
    subject: `A webhook to ${host} was disabled`,
    paragraphs: [
      `A webhook of the workspace “${workspace}” to ${host} was disabled: ${why}.`,
      'What waited for it was canceled, and new events are not sent to it. Enable it again once the receiver works; events of the time between can be replayed.',
    ],
    action: { label: 'Look at the webhook', link: given.link },
    footer: 'You get this mail because you are an owner or admin of this workspace.',
  });
}
