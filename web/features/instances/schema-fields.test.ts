import { expect, test } from 'vitest';
import { emptyValues, getFields, getObject, getValues } from './schema-fields.ts';

const SCHEMA = {
  type: 'object',
  required: ['imap'],
  properties: {
    imap: {
      type: 'object',
      required: ['host'],
      properties: {
        host: { type: 'string' },
        port: { type: 'integer', default: 993 },
        smtp_password: { type: 'string', format: 'password' },
      },
    },
    pairing: { enum: ['qr', 'code', null] },
    retry: { type: 'boolean', default: true },
    headers: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  },
};
const fields = getFields(SCHEMA, '/settings');

test('turns a schema into fields', () => {
  expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ['imap', 'group', true],
    ['pairing', 'choice', false],
    ['retry', 'boolean', false],
    ['headers', 'json', false],
  ]);
  expect(fields[0]?.fields.map(({ pointer, label, kind }) => [pointer, label, kind])).toEqual([
    ['/settings/imap/host', 'Host', 'text'],
    ['/settings/imap/port', 'Port', 'integer'],
    ['/settings/imap/smtp_password', 'SMTP password', 'secret'],
  ]);
  expect(fields[3]?.nullable).toBe(true);
});

test('leaves out empty values and defaults', () => {
  expect(getObject(fields, emptyValues(fields))).toEqual({ imap: {} });
  const values = {
    ...emptyValues(fields),
    '/settings/imap/host': ' mail.example.com ',
    '/settings/retry': false,
  };
  expect(getObject(fields, values)).toEqual({ imap: { host: 'mail.example.com' }, retry: false });
});

test('reads back what was stored', () => {
  const stored = { imap: { host: 'mail.example.com', port: 143 }, pairing: 'qr', headers: { a: 1 } };
  expect(getObject(fields, getValues(fields, stored))).toEqual(stored);
});

test('masks secrets, and keeps invalid JSON for the server to reject', () => {
  const values = { '/settings/imap/smtp_password': ' s3cret ', '/settings/headers': '{' };
  expect(getObject(fields, values, '••')).toEqual({ imap: { smtp_password: '••' }, headers: '{' });
  expect(getObject(fields, values)).toMatchObject({ imap: { smtp_password: ' s3cret ' } });
});
