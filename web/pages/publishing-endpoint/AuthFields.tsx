/** How senders prove themselves: chosen when an endpoint is made. */
import { Radio, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Fault } from '../../api/problem.ts';
import type { AuthType } from '../publishing/publishing-text.ts';
import type { AuthForm } from './auth-form.ts';
import classes from './editor.module.css';

const SignatureFields = lazy(async () => ({
  default: (await import('./SignatureFields.tsx')).SignatureFields,
}));

interface AuthFieldsProps {
  value: AuthForm;
  onChange: (value: AuthForm) => void;
  faults: readonly Fault[];
}

const TYPES: { value: AuthType; label: string; description: string }[] = [
  {
    value: 'secret_url',
    label: 'By a secret address',
    description: 'Whoever knows it may post. For senders that only take a URL.',
  },
  {
    value: 'signature',
    label: 'By a signature',
    description: 'GitHub, Stripe, Slack, Standard Webhooks, or an HMAC of your own.',
  },
  {
    value: 'bearer',
    label: 'By an API key',
    description: 'For programs of yours: a key with the scope publishing:publish.',
  },
];

export function AuthFields({ value, onChange, faults }: AuthFieldsProps) {
  return (
    <div className={classes.card}>
      <Radio.Group
        label="How do senders prove themselves?"
        value={value.type}
        onChange={(type) => onChange({ ...value, type })}
      >
        <Stack gap="xs" mt={6}>
          {TYPES.map((type) => (
            <Radio key={type.value} size="xs" {...type} />
          ))}
        </Stack>
      </Radio.Group>
      {value.type === 'signature' && (
        <Suspense>
          <SignatureFields value={value} onChange={onChange} faults={faults} withSecret />
        </Suspense>
      )}
    </div>
  );
}
