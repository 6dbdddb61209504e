import { describe, expect, test } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';
import { isPersonal } from './password-policy.ts';

describe('common passwords', () => {
  test.each(
    `password PASSWORD password1 Password123! P@ssw0rd pa$$word passw0rd qwerty123 QwErTy12345 qwertyuiop 12345678
     87654321 123456789 1q2w3e4r 1qaz2wsx zaq12wsx q1w2e3r4 qazwsxedc 123qweasd abcd1234 asdf1234 11111111 12341234
     abcabcabc aaaaaaaa1 testtest iloveyou2 letmein123 welcome1 admin@123 Summer2024! master2024! 2024summer
     trustno1 superman monkey12 dragon123 147258369 fairlead1`.split(/\s+/),
  )('%s is one', (password) => expect(isCommonPassword(password)).toBe(true));

  test.each(['i love you', 'ｐａｓｓｗｏｒｄ１'])('%s is one, however it is written', (password) =>
    expect(isCommonPassword(password)).toBe(true),
  );

  test.each([
    'correct horse battery',
    'open sesame',
    'a new password',
    'very secret',
    'kT9#vbn2',
    'maple-river-41',
    'sunflower-castle',
    'monkey482913',
    'Ünïcödé-wörter',
    '我的密码很长很难猜',
  ])('%s is none', (password) => expect(isCommonPassword(password)).toBe(false));

  test('names and email addresses are personal', () => {
    const ada = { name: 'Ada Lovelace', email: 'ada.lovelace@example.com' };
    for (const password of ['adalovelace', 'Ada Lovelace', 'ADA.LOVELACE', 'ada.lovelace@example.com'])
      expect([password, isPersonal(password, ada)]).toEqual([password, true]);
    expect(isPersonal('ada lovelace knits', ada)).toBe(false);
    expect(isPersonal('anything', {})).toBe(false);
  });
});
