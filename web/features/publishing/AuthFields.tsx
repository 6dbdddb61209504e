/** Selects how senders of a new endpoint authenticate. */
import { Radio, Stack } from '@mantine/core';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import type { AuthType } from './publishing-text.ts';
import type { AuthForm } from './auth-form.ts';
import classes from '../../patterns/workbench/workbench.module.css';

const SignatureFields = lazily(() => import('./SignatureFields.tsx'), 'SignatureFields');

interface AuthFieldsProps {
  value: AuthForm;
  onChange: (value: AuthForm) => void;
  faults: readonly Fault[];
}

const TYPES: { value: AuthType; label: string; description: string }[] = [
  {
    value: 'secret_url',
    label: t('Secret URL'),
    description: t('Anyone with the URL can post. Use it for senders that only accept a URL.'),
  },
  {
    value: 'signature',
    label: t('Signature'),
    description: t('GitHub, Stripe, Slack, Standard Webhooks, or a custom HMAC.'),
  },
  {
    value: 'bearer',
    label: t('API key'),
    description: t('For your own services. The key needs the publishing:publish scope.'),
  },
];

export function AuthFields({ value, onChange, faults }: AuthFieldsProps) {
  return (
    <div className={classes.card}>
      <Radio.Group
        label={t('Authentication')}
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
