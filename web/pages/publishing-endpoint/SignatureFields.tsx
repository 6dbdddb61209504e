/** How signatures are read: the scheme, its options, and the secret where it is given. */
import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { Fault } from '../../api/problem.ts';
import { type Scheme, SCHEME_NAMES } from '../publishing/publishing-text.ts';
import { type AuthForm, SECRET_HINTS } from './auth-form.ts';
import { getMessage } from './use-editor.ts';

interface SignatureFieldsProps {
  value: AuthForm;
  onChange: (value: AuthForm) => void;
  faults: readonly Fault[];
  /** Whether the secret is given here; it is rotated otherwise. */
  withSecret?: boolean;
}

const SIGNED = {
  body: 'the body',
  'timestamp.body': 'time . body',
  timestampbody: 'time body',
  'timestamp:body': 'time : body',
  'v0:timestamp:body': 'v0 : time : body',
} as const;
const FORMATS = {
  unix: 'seconds since 1970',
  unix_ms: 'milliseconds since 1970',
  rfc3339: 'RFC 3339',
} as const;

const optionsOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export function SignatureFields({ value, onChange, faults, withSecret = false }: SignatureFieldsProps) {
  const { scheme } = value;
  const set = (with_: Partial<AuthForm>) => onChange({ ...value, ...with_ });
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Scheme"
        data={optionsOf(SCHEME_NAMES)}
        value={scheme}
        onChange={({ currentTarget }) => set({ scheme: currentTarget.value as Scheme })}
        error={getMessage(faults, '/auth/scheme')}
      />
      {withSecret && (
        <TextInput
          label="Secret"
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
        <TextInput
          label="Tolerance of time, in seconds"
          type="number"
          min={10}
          max={86_400}
          maw={260}
          value={value.tolerance}
          onChange={({ currentTarget }) => set({ tolerance: currentTarget.value })}
          error={getMessage(faults, '/auth/tolerance_seconds')}
        />
      )}
    </Stack>
  );
}

function HmacFields({ value, onChange, faults }: SignatureFieldsProps) {
  const { hmac } = value;
  const set = (with_: Partial<AuthForm['hmac']>) => onChange({ ...value, hmac: { ...hmac, ...with_ } });
  const said = (name: string) => getMessage(faults, `/auth/hmac/${name}`);
  const text = (name: 'header' | 'prefix' | 'timestamp_header') => ({
    value: hmac[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      set({ [name]: currentTarget.value }),
    error: said(name),
    spellCheck: false,
  });
  const choice = (name: 'algorithm' | 'encoding' | 'timestamp_format' | 'signed') => ({
    value: hmac[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      set({ [name]: currentTarget.value }),
    error: said(name),
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput label="Header" placeholder="X-Signature" maxLength={100} {...text('header')} />
      <TextInput label="Text before it" placeholder="sha256=" maxLength={50} {...text('prefix')} />
      <NativeSelect
        label="Algorithm"
        data={['sha256', 'sha512', 'sha384', 'sha1']}
        {...choice('algorithm')}
      />
      <NativeSelect label="Written as" data={['hex', 'base64', 'base64url']} {...choice('encoding')} />
      <TextInput
        label="Header with the time"
        placeholder="none"
        maxLength={100}
        {...text('timestamp_header')}
      />
      {hmac.timestamp_header !== '' && (
        <NativeSelect label="Time written as" data={optionsOf(FORMATS)} {...choice('timestamp_format')} />
      )}
      <NativeSelect label="What is signed" data={optionsOf(SIGNED)} {...choice('signed')} />
    </SimpleGrid>
  );
}
