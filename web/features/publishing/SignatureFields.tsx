/** The settings of signature verification: scheme, options, and secret. */
import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { NumberField } from '../../design/NumberField.tsx';
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import { type Scheme, SCHEME_NAMES } from './publishing-text.ts';
import { type AuthForm, SECRET_HINTS } from './auth-form.ts';
import { getMessage } from './use-editor.ts';

interface SignatureFieldsProps {
  value: AuthForm;
  onChange: (value: AuthForm) => void;
  faults: readonly Fault[];
  /** Whether to show the secret. Existing endpoints rotate it instead. */
  withSecret?: boolean;
}

const SIGNED = {
  body: t('Body'),
  'timestamp.body': t('timestamp.body'),
  timestampbody: t('timestamp and body'),
  'timestamp:body': t('timestamp:body'),
  'v0:timestamp:body': t('v0:timestamp:body'),
} as const;
const FORMATS = {
  unix: t('Unix seconds'),
  unix_ms: t('Unix milliseconds'),
  rfc3339: 'RFC 3339',
} as const;

const toOptions = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export function SignatureFields({ value, onChange, faults, withSecret = false }: SignatureFieldsProps) {
  const { scheme } = value;
  const set = (patch: Partial<AuthForm>) => onChange({ ...value, ...patch });
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('Scheme')}
        data={toOptions(SCHEME_NAMES)}
        value={scheme}
        onChange={({ currentTarget }) => set({ scheme: currentTarget.value as Scheme })}
        error={getMessage(faults, '/auth/scheme')}
      />
      {withSecret && (
        <TextInput
          label={t('Secret')}
          description={SECRET_HINTS[scheme]}
          type="password"
          autoComplete="new-password"
          spellCheck={false}
          maxLength={500}
          value={value.secret}
          onChange={({ currentTarget }) => set({ secret: currentTarget.value })}
          error={getMessage(faults, '/auth/secret')}
        />
      )}
      {scheme === 'hmac' && <HmacFields value={value} onChange={onChange} faults={faults} />}
      {(scheme !== 'hmac' || value.hmac.timestamp_header !== '') && scheme !== 'github' && (
        <NumberField
          label={t('Timestamp tolerance (seconds)')}
          min={10}
          max={86_400}
          maw={260}
          value={value.tolerance}
          onChange={(tolerance) => set({ tolerance })}
          error={getMessage(faults, '/auth/tolerance_seconds')}
        />
      )}
    </Stack>
  );
}

function HmacFields({ value, onChange, faults }: SignatureFieldsProps) {
  const { hmac } = value;
  const set = (patch: Partial<AuthForm['hmac']>) => onChange({ ...value, hmac: { ...hmac, ...patch } });
  const getError = (name: string) => getMessage(faults, `/auth/hmac/${name}`);
  const text = (name: 'header' | 'prefix' | 'timestamp_header') => ({
    value: hmac[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      set({ [name]: currentTarget.value }),
    error: getError(name),
    spellCheck: false,
  });
  const choice = (name: 'algorithm' | 'encoding' | 'timestamp_format' | 'signed') => ({
    value: hmac[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      set({ [name]: currentTarget.value }),
    error: getError(name),
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput label={t('Header')} placeholder={t('X-Signature')} maxLength={100} {...text('header')} />
      <TextInput
        label={t('Signature prefix')}
        placeholder={t('sha256=')}
        maxLength={50}
        {...text('prefix')}
      />
      <NativeSelect
        label={t('Algorithm')}
        data={['sha256', 'sha512', 'sha384', 'sha1']}
        {...choice('algorithm')}
      />
      <NativeSelect label={t('Encoding')} data={['hex', 'base64', 'base64url']} {...choice('encoding')} />
      <TextInput
        label={t('Timestamp header')}
        placeholder={t('None')}
        maxLength={100}
        {...text('timestamp_header')}
      />
      {hmac.timestamp_header !== '' && (
        <NativeSelect
          label={t('Timestamp format')}
          data={toOptions(FORMATS)}
          {...choice('timestamp_format')}
        />
      )}
      <NativeSelect label={t('Signed content')} data={toOptions(SIGNED)} {...choice('signed')} />
    </SimpleGrid>
  );
}
