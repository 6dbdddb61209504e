/** The recipient of a destination: an address template, or an existing contact, chat, or group. */
import { Input, NativeSelect, Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';
import { can } from '../../api/instances.ts';
import { getExampleAddress } from '../instances/example-address.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { type DestinationForm, type RecipientKind, RECIPIENTS } from './editor-form.ts';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';

const RecipientPicker = lazily(() => import('./RecipientPicker.tsx'), 'RecipientPicker');

interface RecipientFieldProps {
  destination: DestinationForm;
  instance: Instance | undefined;
  onChange: (patch: Partial<DestinationForm>) => void;
  /** A template that the address may be, such as `{{ payload.phone }}`. */
  hint: string;
  /** Returns the error of a field of the destination. */
  at: (field: string) => string | undefined;
}

const KINDS: Record<RecipientKind, string> = {
  to: t('Address'),
  contact_id: t('Contact'),
  chat_id: t('Chat'),
  group_id: t('Group'),
};

export function RecipientField({ destination, instance, onChange, hint, at }: RecipientFieldProps) {
  const { recipient, to, chosen } = destination;
  const kinds = RECIPIENTS.filter(
    (kind) => kind !== 'group_id' || recipient === kind || can(instance, 'groups'),
  );
  return (
    <div className={classes.recipient}>
      <NativeSelect
        label={t('To')}
        aria-label={t('Recipient type')}
        data={kinds.map((kind) => ({ value: kind, label: KINDS[kind] }))}
        value={recipient}
        onChange={({ currentTarget }) =>
          onChange({ recipient: currentTarget.value as RecipientKind, chosen: '' })
        }
      />
      {recipient === 'to' ? (
        <TemplateField
          label={t('Address')}
          single
          placeholder={t('{address} or {template}', {
            address: getExampleAddress(instance?.channel),
            template: hint,
          })}
          value={to}
          onChange={(text) => onChange({ to: text })}
          error={at('to')}
        />
      ) : (
        <Input.Wrapper label={KINDS[recipient]} labelElement="div" error={at(recipient)}>
          <Suspense fallback={<Skeleton h={34} />}>
            <RecipientPicker
              key={recipient + destination.instance_id}
              kind={recipient}
              label={KINDS[recipient]}
              instanceId={destination.instance_id}
              value={chosen}
              onChange={(id) => onChange({ chosen: id })}
            />
          </Suspense>
        </Input.Wrapper>
      )}
    </div>
  );
}
