/** Whom a destination goes to: an address by a template, or a contact, chat or group that is here. */
import { Input, NativeSelect, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Instance } from '../../api/types.ts';
import { can } from '../chats/draft.ts';
import classes from './editor.module.css';
import { type DestinationForm, type RecipientKind, RECIPIENTS } from './editor-form.ts';
import { TemplateField } from './TemplateField.tsx';

const RecipientPicker = lazy(async () => ({
  default: (await import('./RecipientPicker.tsx')).RecipientPicker,
}));

interface RecipientFieldProps {
  destination: DestinationForm;
  instance: Instance | undefined;
  onChange: (with_: Partial<DestinationForm>) => void;
  /** What was said about a field of the destination. */
  at: (field: string) => string | undefined;
}

const KINDS: Record<RecipientKind, string> = {
  to: 'Address',
  contact_id: 'Contact',
  chat_id: 'Chat',
  group_id: 'Group',
};

const ADDRESSES: Record<string, string> = {
  sandbox: 'alice',
  email: 'ada@example.com',
  xmpp: 'ada@example.com',
};

export function RecipientField({ destination, instance, onChange, at }: RecipientFieldProps) {
  const { recipient, to, chosen } = destination;
  const kinds = RECIPIENTS.filter(
    (kind) => kind !== 'group_id' || recipient === kind || can(instance, 'groups'),
  );
  return (
    <div className={classes.recipient}>
      <NativeSelect
        label="To"
        aria-label="How the recipient is named"
        data={kinds.map((kind) => ({ value: kind, label: KINDS[kind] }))}
        value={recipient}
        onChange={({ currentTarget }) =>
          onChange({ recipient: currentTarget.value as RecipientKind, chosen: '' })
        }
      />
      {recipient === 'to' ? (
        <TemplateField
          label="Address"
          single
          placeholder={`${ADDRESSES[instance?.channel ?? ''] ?? 'alice'}, or {{ payload.phone }}`}
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
