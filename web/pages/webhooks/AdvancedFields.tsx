/** Filters, headers, pace, order and a secret of one's own; folded away, since most webhooks need none of it. */
import { Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { CountField } from '../../ui/CountField.tsx';
import { RateFields } from '../../ui/RateFields.tsx';
import { Accordion } from '../../ui/Accordion.tsx';
import ui from '../../ui/ui.module.css';
import type { Form } from '../../ui/use-form.ts';
import { HeaderFields } from './HeaderFields.tsx';
import { DEFAULT_CONCURRENCY, type WebhookForm } from './webhook-form.ts';

interface AdvancedFieldsProps {
  form: Form<WebhookForm>;
  /** Whether the webhook is being made: only then it can be given a secret. */
  creating: boolean;
  /** Whether its url points to another server than before. */
  moved: boolean;
}

const FILTERS = [
  { name: 'instance_id', label: 'Channel instance', placeholder: 'ins_…' },
  { name: 'link_id', label: 'Short link', placeholder: 'lnk_…' },
  { name: 'tag', label: 'Tag of links', placeholder: 'spring' },
] as const;

export function AdvancedFields({ form, creating, moved }: AdvancedFieldsProps) {
  const { values, set, error } = form;
  const rate = values.rate_limit;
  const filtered = Object.values(values.filters).filter(Boolean).length;
  const paced =
    rate.limited || values.concurrency !== DEFAULT_CONCURRENCY || values.ordering === 'per_resource';
  return (
    <Stack gap="sm">
      <Accordion
        title="Headers"
        note={values.headers.length === 0 ? 'credentials of the receiver' : `${values.headers.length} set`}
        opened={values.headers.length > 0}
        faulty={error('headers') !== undefined || (moved && values.headers.length > 0)}
      >
        <HeaderFields form={form} moved={moved} />
      </Accordion>
      <Accordion
        title="Filters"
        note="only events about one instance, link or tag"
        opened={filtered > 0}
        faulty={error('filters') !== undefined}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {FILTERS.map(({ name, label, placeholder }) => (
            <TextInput
              key={name}
              label={label}
              placeholder={placeholder}
              spellCheck={false}
              value={values.filters[name]}
              error={form.at('filters', name)}
              onChange={({ currentTarget }) =>
                set('filters', { ...values.filters, [name]: currentTarget.value })
              }
            />
          ))}
        </SimpleGrid>
      </Accordion>
      <Accordion
        title="Pace and order"
        note="rate, deliveries at once, ordering"
        opened={paced}
        faulty={(error('rate_limit') ?? error('concurrency') ?? error('ordering')) !== undefined}
      >
        <Stack gap="md">
          <RateFields
            description="What is over it waits its turn; nothing is dropped."
            value={rate}
            onChange={(changed) => set('rate_limit', changed)}
            error={error('rate_limit')}
          />
          <CountField
            label="Deliveries under way at once"
            maw={220}
            value={values.concurrency}
            onChange={(concurrency) => set('concurrency', concurrency)}
            error={error('concurrency')}
          />
          <Radio.Group
            label="Order"
            value={values.ordering}
            onChange={(ordering) => set('ordering', ordering)}
            error={error('ordering')}
          >
            <Stack gap="xs" mt={4}>
              <Radio
                value="none"
                label="As fast as it goes"
                description="Events are sent at once, each for itself; their sequence tells the order."
              />
              <Radio
                value="per_resource"
                label="In order for each object"
                description="An event waits until the one before it of the same object succeeded or was given up."
              />
            </Stack>
          </Radio.Group>
        </Stack>
      </Accordion>
      {creating && (
        <Accordion
          title="A secret of your own"
          note="one is made for you otherwise"
          opened={values.secret !== ''}
          faulty={error('secret') !== undefined}
        >
          <TextInput
            label="Secret"
            description={
              <Text component="span" inherit>
                <span className={ui.mono}>whsec_</span> and 24 to 64 bytes in base64.
              </Text>
            }
            placeholder="whsec_…"
            autoComplete="off"
            spellCheck={false}
            {...form.text('secret')}
          />
        </Accordion>
      )}
    </Stack>
  );
}
