/** What of a request is published, and when: filter, dedupe key, schedule, links, and pace. */
import { Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import type { Fault } from '../../api/problem.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import { RateFields } from '../../ui/RateFields.tsx';
import { DELAY_UNITS, type DelayUnit, type EditorForm } from './editor-form.ts';
import { TemplateField } from './TemplateField.tsx';
import { TimeZoneField } from './TimeZoneField.tsx';
import { type Editor, getMessage } from './use-editor.ts';

interface DeliveryFieldsProps {
  editor: Editor;
  faults: readonly Fault[];
}

const UNITS = Object.keys(DELAY_UNITS) as DelayUnit[];

/** When it is published, in a few words. */
function scheduleNote({ at, delay, delay_unit: unit, quiet }: EditorForm): string {
  const said = [
    at.trim() !== '' && 'at a time from the payload',
    delay.trim() !== '' && `${delay} ${unit} later`,
    quiet.on && `quiet ${quiet.from}–${quiet.to}`,
  ].filter(Boolean);
  return said.length === 0 ? 'at once' : said.join(', ');
}

/** What of it is published, in a few words. */
const publishedNote = ({ filter, dedupe_key: key }: EditorForm): string =>
  [filter.trim() !== '' && 'filtered', key.trim() !== '' && 'by a dedupe key'].filter(Boolean).join(', ') ||
  'all that comes';

export function DeliveryFields({ editor, faults }: DeliveryFieldsProps) {
  const { form, set } = editor;
  const at = (pointer: string) => getMessage(faults, pointer);
  const quiet = (with_: Partial<EditorForm['quiet']>) => set('quiet', { ...form.quiet, ...with_ });
  const rateFault = at('/rate_limit');
  const isOnce = form.filter.trim() !== '' || form.dedupe_key.trim() !== '';
  return (
    <Stack gap="sm">
      <Accordion
        title="What is published"
        note={publishedNote(form)}
        opened={isOnce}
        faulty={(at('/filter') ?? at('/dedupe_key')) !== undefined}
      >
        <Stack gap="md">
          <TemplateField
            label="Filter"
            description="A condition, as Liquid's if takes it. What it does not hold for is taken, and not published."
            bare
            single
            placeholder='payload.status == "published"'
            value={form.filter}
            onChange={(filter) => set('filter', filter)}
            error={at('/filter')}
          />
          <TemplateField
            label="Dedupe key"
            description="What gives the same text within 24 hours is published once."
            single
            placeholder="{{ payload.id }}"
            value={form.dedupe_key}
            onChange={(key) => set('dedupe_key', key)}
            error={at('/dedupe_key')}
          />
        </Stack>
      </Accordion>
      <Accordion
        title="When"
        note={scheduleNote(form)}
        opened={scheduleNote(form) !== 'at once'}
        faulty={at('/schedule') !== undefined}
      >
        <Stack gap="md">
          <TemplateField
            label="At"
            description="A time from the payload: RFC 3339, or seconds since 1970. Empty or past: at once."
            single
            placeholder="{{ payload.publish_at }}"
            value={form.at}
            onChange={(text) => set('at', text)}
            error={at('/schedule/at')}
          />
          <Group gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              label="Wait"
              type="number"
              min={0}
              max={2_592_000}
              step={1}
              w={110}
              placeholder="0"
              value={form.delay}
              onChange={({ currentTarget }) => set('delay', currentTarget.value)}
              error={at('/schedule/delay_seconds')}
            />
            <NativeSelect
              label=" "
              aria-label="Unit of the wait"
              data={UNITS}
              value={form.delay_unit}
              onChange={({ currentTarget }) => set('delay_unit', currentTarget.value as DelayUnit)}
            />
          </Group>
          <Switch
            label="Quiet hours"
            description="What falls into them waits until they end."
            checked={form.quiet.on}
            onChange={({ currentTarget }) => quiet({ on: currentTarget.checked })}
          />
          {form.quiet.on && (
            <Group gap="xs" align="flex-start">
              <TextInput
                label="From"
                type="time"
                required
                withAsterisk={false}
                value={form.quiet.from}
                onChange={({ currentTarget }) => quiet({ from: currentTarget.value })}
                error={at('/schedule/quiet_hours/from')}
              />
              <TextInput
                label="Until"
                type="time"
                required
                withAsterisk={false}
                value={form.quiet.to}
                onChange={({ currentTarget }) => quiet({ to: currentTarget.value })}
                error={at('/schedule/quiet_hours/to')}
              />
              <TimeZoneField
                value={form.quiet.time_zone}
                onChange={(zone) => quiet({ time_zone: zone })}
                error={at('/schedule/quiet_hours/time_zone')}
              />
            </Group>
          )}
        </Stack>
      </Accordion>
      <Accordion
        title="Links and pace"
        note={
          [
            form.shorten_links && 'links are shortened',
            form.allow_partial && 'part of it will do',
            form.rate_limit.limited && `at most ${form.rate_limit.limit} a minute`,
          ]
            .filter(Boolean)
            .join(', ') || 'as they are'
        }
        opened={form.shorten_links || form.allow_partial || form.rate_limit.limited}
        faulty={rateFault !== undefined}
      >
        <Stack gap="md">
          <Switch
            label="Shorten links"
            description="URLs in texts become tracked short links, so that clicks are counted."
            checked={form.shorten_links}
            onChange={({ currentTarget }) => set('shorten_links', currentTarget.checked)}
          />
          <Switch
            label="Allow part of it"
            description="What is refused for one destination does not refuse the others: it is tried again for that one."
            checked={form.allow_partial}
            onChange={({ currentTarget }) => set('allow_partial', currentTarget.checked)}
          />
          <RateFields
            description="What is over it is answered 429."
            value={form.rate_limit}
            onChange={(rate) => set('rate_limit', rate)}
            {...(rateFault !== undefined && { error: rateFault })}
          />
        </Stack>
      </Accordion>
    </Stack>
  );
}
