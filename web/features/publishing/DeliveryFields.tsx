/** Fields for what an endpoint publishes and when: filter, dedupe key, schedule, links, and rate limit. */
import { Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { NumberField } from '../../design/NumberField.tsx';
import { plural, t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { RateFields } from '../../design/RateFields.tsx';
import { DELAY_UNITS, type DelayUnit, type EditorForm } from './editor-form.ts';
import { TimeZoneSelect } from '../../design/TimeZoneSelect.tsx';
import { metadataForm, MetadataField } from '../../patterns/form/MetadataField.tsx';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { type Editor, getMessage } from './use-editor.ts';

interface DeliveryFieldsProps {
  editor: Editor;
  faults: readonly Fault[];
}

const UNITS = Object.keys(DELAY_UNITS) as DelayUnit[];

const UNIT_LABELS: Record<DelayUnit, string> = {
  seconds: t('seconds'),
  minutes: t('minutes'),
  hours: t('hours'),
  days: t('days'),
};

const hasSchedule = ({ at, delay, quiet }: EditorForm): boolean =>
  at.trim() !== '' || delay.trim() !== '' || quiet.on;

/** Summarizes when requests are published. */
function scheduleNote({ at, delay, delay_unit: unit, quiet }: EditorForm): string {
  const notes = [
    at.trim() !== '' && t('at a time from the payload'),
    delay.trim() !== '' && t('after {delay} {unit}', { delay, unit: UNIT_LABELS[unit] }),
    quiet.on && t('quiet hours {from}–{to}', { from: quiet.from, to: quiet.to }),
  ].filter(Boolean);
  return notes.length === 0 ? t('Immediately') : notes.join(', ');
}

/** Summarizes which requests are published. */
const publishedNote = ({ filter, dedupe_key: key }: EditorForm): string =>
  [filter.trim() !== '' && t('Filtered'), key.trim() !== '' && t('Deduplicated')]
    .filter(Boolean)
    .join(', ') || t('All requests');

export function DeliveryFields({ editor, faults }: DeliveryFieldsProps) {
  const { form, set } = editor;
  const at = (pointer: string) => getMessage(faults, pointer);
  const quiet = (patch: Partial<EditorForm['quiet']>) => set('quiet', { ...form.quiet, ...patch });
  const rateError = at('/rate_limit');
  const hasConditions = form.filter.trim() !== '' || form.dedupe_key.trim() !== '';
  return (
    <Stack gap="sm">
      <Accordion
        title={t('Filter and deduplication')}
        note={publishedNote(form)}
        opened={hasConditions}
        faulty={(at('/filter') ?? at('/dedupe_key')) !== undefined}
      >
        <Stack gap="md">
          <TemplateField
            label={t('Filter')}
            description={t("A Liquid condition. Requests that don't match are accepted but not published.")}
            bare
            single
            placeholder={t('payload.status == "published"')}
            value={form.filter}
            onChange={(filter) => set('filter', filter)}
            error={at('/filter')}
          />
          <TemplateField
            label={t('Dedupe key')}
            description={t('Requests with the same key within 24 hours are published once.')}
            single
            placeholder={t('{{ payload.id }}')}
            value={form.dedupe_key}
            onChange={(key) => set('dedupe_key', key)}
            error={at('/dedupe_key')}
          />
        </Stack>
      </Accordion>
      <Accordion
        title={t('Schedule')}
        note={scheduleNote(form)}
        opened={hasSchedule(form)}
        faulty={at('/schedule') !== undefined}
      >
        <Stack gap="md">
          <TemplateField
            label={t('Publish at')}
            description={t('An RFC 3339 or Unix timestamp. If blank or in the past, publishes immediately.')}
            single
            placeholder={t('{{ payload.publish_at }}')}
            value={form.at}
            onChange={(text) => set('at', text)}
            error={at('/schedule/at')}
          />
          <Group gap="xs" align="flex-start" wrap="nowrap">
            <NumberField
              label={t('Delay')}
              min={0}
              max={2_592_000}
              w={110}
              placeholder="0"
              value={form.delay}
              onChange={(text) => set('delay', text)}
              error={at('/schedule/delay_seconds')}
            />
            <NativeSelect
              label=" "
              aria-label={t('Delay unit')}
              data={UNITS.map((unit) => ({ value: unit, label: UNIT_LABELS[unit] }))}
              value={form.delay_unit}
              onChange={({ currentTarget }) => set('delay_unit', currentTarget.value as DelayUnit)}
            />
          </Group>
          <Switch
            label={t('Quiet hours')}
            description={t('Publications during quiet hours wait until they end.')}
            checked={form.quiet.on}
            onChange={({ currentTarget }) => quiet({ on: currentTarget.checked })}
          />
          {form.quiet.on && (
            <Group gap="xs" align="flex-start">
              <TextInput
                label={t('From')}
                type="time"
                required
                value={form.quiet.from}
                onChange={({ currentTarget }) => quiet({ from: currentTarget.value })}
                error={at('/schedule/quiet_hours/from')}
              />
              <TextInput
                label={t('Until')}
                type="time"
                required
                value={form.quiet.to}
                onChange={({ currentTarget }) => quiet({ to: currentTarget.value })}
                error={at('/schedule/quiet_hours/to')}
              />
              <TimeZoneSelect
                label={t('Time zone')}
                miw={170}
                flex={1}
                value={form.quiet.time_zone}
                onChange={(zone) => quiet({ time_zone: zone })}
                error={at('/schedule/quiet_hours/time_zone')}
              />
            </Group>
          )}
        </Stack>
      </Accordion>
      <Accordion
        title={t('Links, responses and limits')}
        note={
          [
            form.shorten_links && t('links shortened'),
            form.allow_partial && t('partial delivery'),
            form.success_status === 200 && t('responds with 200'),
            form.rate_limit.limited &&
              plural(form.rate_limit.limit, {
                one: 'up to {count} request per minute',
                other: 'up to {count} requests per minute',
              }),
          ]
            .filter(Boolean)
            .join(', ') || t('Default settings')
        }
        opened={
          form.shorten_links || form.allow_partial || form.success_status === 200 || form.rate_limit.limited
        }
        faulty={rateError !== undefined}
      >
        <Stack gap="md">
          <Switch
            label={t('Shorten links')}
            description={t('Replace URLs in messages with tracked short links.')}
            checked={form.shorten_links}
            onChange={({ currentTarget }) => set('shorten_links', currentTarget.checked)}
          />
          <Switch
            label={t('Allow partial delivery')}
            description={t('If a destination fails, publish to the others and retry the failed one.')}
            checked={form.allow_partial}
            onChange={({ currentTarget }) => set('allow_partial', currentTarget.checked)}
          />
          <Switch
            label={t('Respond with 200')}
            description={t(
              "For senders that don't accept 202 as success. Doesn't apply to requests with an API key.",
            )}
            checked={form.success_status === 200}
            onChange={({ currentTarget }) => set('success_status', currentTarget.checked ? 200 : 202)}
          />
          <RateFields
            description={t('Requests above the limit get a 429 response.')}
            value={form.rate_limit}
            onChange={(rate) => set('rate_limit', rate)}
            {...(rateError !== undefined && { error: rateError })}
          />
        </Stack>
      </Accordion>
      <Accordion
        title={t('Metadata')}
        note={t('Your own key-value pairs')}
        opened={form.metadata.length > 0}
        faulty={at('/metadata') !== undefined}
      >
        <MetadataField form={metadataForm(form, set, faults)} />
      </Accordion>
    </Stack>
  );
}
