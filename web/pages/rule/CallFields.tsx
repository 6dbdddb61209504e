/** An address that a rule calls, with its credentials. Those that are saved are never shown, and go to no other host. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { Accordion } from '../../ui/Accordion.tsx';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import { HeaderFields } from '../webhooks/HeaderFields.tsx';
import type { ActionFieldsProps } from './ActionFields.tsx';
import type { ActionForm } from './rule-form.ts';

/** Whether it goes to another host than the action of this name does that is saved. */
function isMoved({ saved, action }: Pick<ActionFieldsProps, 'saved' | 'action'>): boolean {
  const former = saved?.actions.find(({ name, type }) => type === 'call_webhook' && name === action.name);
  if (former?.type !== 'call_webhook' || !URL.canParse(action.call.url)) return false;
  return new URL(action.call.url).origin !== new URL(former.url).origin;
}

export function CallFields({ action, onChange, at, saved }: ActionFieldsProps) {
  const { call } = action;
  const change = (with_: Partial<ActionForm['call']>) => onChange({ call: { ...call, ...with_ } });
  const moved = isMoved({ saved, action });
  return (
    <>
      <TextInput
        label="URL"
        type="url"
        placeholder="https://hooks.example.com/orders"
        spellCheck={false}
        maxLength={2048}
        value={call.url}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
        error={at('url')}
      />
      <TemplateField
        label="Body, as JSON"
        placeholder='{"text": "{{ event.data.object.text.body }}"}, or empty for the event'
        value={call.body}
        onChange={(body) => change({ body })}
        error={at('body')}
      />
      <Accordion
        title="Credentials"
        note={
          [
            call.headers.length > 0 &&
              (call.headers.length === 1 ? '1 header' : `${call.headers.length} headers`),
            call.signed && 'signed',
          ]
            .filter(Boolean)
            .join(', ') || 'headers, signing secret'
        }
        opened={call.headers.length > 0}
        faulty={
          at('headers') !== undefined || at('secret') !== undefined || (moved && call.headers.length > 0)
        }
      >
        <HeaderFields
          form={{
            values: { headers: call.headers },
            set: (_name, headers) => change({ headers }),
            error: () => at('headers'),
            at: (_name, ...path) => at(['headers', ...path].join('/')),
          }}
          moved={moved}
        />
        <TextInput
          mt="sm"
          label="Signing secret"
          description="Calls are signed as webhooks are: whsec_ and 24 to 64 bytes in base64."
          placeholder={call.signed ? 'kept; write another to replace it' : 'none'}
          autoComplete="off"
          spellCheck={false}
          value={call.secret}
          onChange={({ currentTarget }) => change({ secret: currentTarget.value })}
          error={at('secret')}
        />
        {call.signed && (
          <Group gap="xs" mt={6}>
            <Button size="compact-xs" variant="default" onClick={() => change({ signed: false, secret: '' })}>
              Sign no more
            </Button>
            <Text size="xs" c="dimmed">
              It has a secret, which nobody can read.
            </Text>
          </Group>
        )}
      </Accordion>
    </>
  );
}
