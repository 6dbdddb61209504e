import { describe, expect, test } from 'vitest';
import { invitationMail, keyExpiresMail, passwordResetMail, webhookDisabledMail } from './templates.ts';

const EVIL = '<script>alert(1)</script>\r\nBcc: x@evil.example "\'& https://evil.example/login\u202e\u200b';
const link = 'https://fairlead.example/user/api/invitations?token=a&b=c';
const expiresAt = new Date('2026-03-01T12:30:00Z');

const mails = {
  invitation: (name: string) =>
    invitationMail({ workspaceName: name, inviterName: name, role: 'developer', link, expiresAt }),
  'password reset': (name: string) => passwordResetMail({ name, link, minutes: 60 }),
  'key expires': (name: string) =>
    keyExpiresMail({
      workspaceName: name,
      keyName: name,
      last4: '9dRk',
      expiresAt,
      disablesCreated: true,
      link,
    }),
  'webhook disabled': (name: string) =>
    webhookDisabledMail({ workspaceName: name, host: name, reason: 'failing', link }),
};

describe.each(Object.entries(mails))('%s', (_name, make) => {
  test('says what it is about, with the link in text and HTML', () => {
    const { subject, text, html } = make('Acme');
    expect(subject).not.toMatch(/[\r\n]/);
    expect(text).toContain('Acme');
    expect(text).toContain(link);
    expect(html).toContain('href="https://fairlead.example/user/api/invitations?token=a&amp;b=c"');
    expect(html.match(/<a /g)).toHaveLength(1);
  });

  test('a name is text: no markup, no header, no link, no hidden signs', () => {
    const { subject, text, html } = make(EVIL);
    expect(html).not.toContain('<script');
    expect(html.match(/<a /g)).toHaveLength(1);
    for (const part of [subject, text, html]) {
      expect(part).not.toContain('evil.example');
      expect(part).not.toContain('https://evil');
      expect(part).not.toMatch(/[\u202e\u200b\r]/);
    }
    expect(subject).not.toMatch(/\n/);
    expect(text.split('\n').some((line) => line.startsWith('Bcc'))).toBe(false);
  });

  test('a long name is cut', () => {
    const { text } = make('😀'.repeat(5000));
    expect(text.length).toBeLessThan(2000);
    expect(text.isWellFormed()).toBe(true);
  });
});

test('times are in UTC', () => {
  expect(mails.invitation('Acme').text).toContain('March 1, 2026 at 12:30 UTC');
});
