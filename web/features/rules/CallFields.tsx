/** The fields of a webhook call. Saved credentials are write-only and are never sent to another origin. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import { withScheme } from '../../design/addresses.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { HeaderFields } from '../webhooks/HeaderFields.tsx';
import type { ActionFieldsProps } from './action-fields-props.ts';
import type { ActionForm } from './rule-form.ts';

/** Returns whether the URL has another origin than the saved action of the same name. */
function isOriginChanged({ saved, action }: Pick<ActionFieldsProps, 'saved' | 'action'>): boolean {
  const savedAction = saved?.actions.find(
    ({ name, type }) => type === 'call_webhook' && name === action.name,
  );
  const url = withScheme(action.call.url);
  if (savedAction?.type !== 'call_webhook' || !URL.canParse(url)) return false;
  return new URL(url).origin !== new URL(savedAction.url).origin;
}

export function CallFields({ action, onChange, at, saved }: ActionFieldsProps) {
  const { call } = action;
  const change = (patch: Partial<ActionForm['call']>) => onChange({ call: { ...call, ...patch } });
  const originChanged = isOriginChanged({ saved, action });
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
        label={t('JSON body')}
        placeholder={t('{"text": "{{ event.data.object.text.body }}"}, or leave blank to send the event')}
        value={call.body}
        onChange={(body) => change({ body })}
        error={at('body')}
      />
      <Accordion
        title={t('Credentials')}
        note={
          [
            call.headers.length > 0 &&
              plural(call.headers.length, { one: '{count} header', other: '{count} headers' }),
            call.signed && t('signed'),
          ]
            .filter(Boolean)
            .join(', ') || t('Headers and signing secret')
        }
        opened={call.headers.length > 0}
        faulty={
          at('headers') !== undefined ||
          at('secret') !== undefined ||
          (originChanged && call.headers.length > 0)
        }
      >
        <HeaderFields
          form={{
            values: { headers: call.headers },
            set: (_name, headers) => change({ headers }),
            error: () => at('headers'),
            at: (_name, ...path) => at(['headers', ...path].join('/')),
          }}
          originChanged={originChanged}
        />
        <TextInput
          mt="sm"
          label={t('Signing secret')}
          description={t('Signs requests like webhooks. Use whsec_ followed by 24 to 64 bytes in base64.')}
          placeholder={call.signed ? t('Unchanged') : 'whsec_…'}
          autoComplete="off"
          spellCheck={false}
          value={call.secret}
          onChange={({ currentTarget }) => change({ secret: currentTarget.value })}
          error={at('secret')}
        />
        {call.signed && (
          <Group gap="xs" mt={6}>
            <Button size="compact-xs" variant="default" onClick={() => change({ signed: false, secret: '' })}>
              {t('Remove signing secret')}
            </Button>
            <Text size="xs" c="dimmed">
              {t('A signing secret is set.')}
            </Text>
          </Group>
        )}
      </Accordion>
    </>
  );
}
