/** All that can be set of a link: what most want stands open, the rest is folded away. */
import { Stack, TextInput } from '@mantine/core';
import type { Link } from '../../api/types.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import type { Form } from '../../ui/use-form.ts';
import { AddressFields } from './AddressFields.tsx';
import { CardFields } from './CardFields.tsx';
import { finalUrl, UTM_NAMES, withForwarded } from './final-url.ts';
import { FinalUrl } from './FinalUrl.tsx';
import { LimitFields } from './LimitFields.tsx';
import type { LinkForm } from './link-form.ts';
import { OwnFields, RedirectFields } from './MoreFields.tsx';
import { PasswordField } from './PasswordField.tsx';
import { TagsField } from './TagsField.tsx';
import { TargetingFields } from './TargetingFields.tsx';
import { UtmFields } from './UtmFields.tsx';

interface LinkFieldsProps {
  form: Form<LinkForm>;
  /** null for one that is to be made. */
  link: Link | null;
}

export function LinkFields({ form, link }: LinkFieldsProps) {
  const { values, error } = form;
  const faulty = (...names: (keyof LinkForm)[]) => names.some((name) => error(name) !== undefined);
  const rules = values.targeting.length;
  return (
    <Stack gap="md">
      <div>
        <TextInput
          label="Leads to"
          placeholder="https://example.com/a/long/address"
          inputMode="url"
          required
          withAsterisk={false}
          spellCheck={false}
          data-autofocus
          {...form.text('url')}
        />
        <Preview values={values} />
      </div>
      <AddressFields form={form} link={link} />
      <TagsField
        label="Tags"
        value={values.tags}
        onChange={(tags) => form.set('tags', tags)}
        error={error('tags')}
      />
      <Stack gap="sm">
        <Accordion
          title="UTM parameters"
          note={utmNote(values)}
          opened={UTM_NAMES.some((name) => values.utm[name] !== '')}
          faulty={faulty('utm')}
        >
          <UtmFields form={form} />
        </Accordion>
        <Accordion
          title="Preview"
          note="title, description, picture"
          opened={[values.title, values.description, values.image].some(Boolean)}
          faulty={faulty('title', 'description', 'image')}
        >
          <CardFields form={form} />
        </Accordion>
        <Accordion
          title="Limits"
          note="expiry, most clicks"
          opened={[values.expires_at, values.expired_url, values.max_clicks].some(Boolean)}
          faulty={faulty('expires_at', 'expired_url', 'max_clicks')}
        >
          <LimitFields form={form} />
        </Accordion>
        <Accordion
          title="Password"
          note={values.password.choice === 'none' ? 'none' : 'asked for'}
          opened={link?.has_password ?? false}
          faulty={faulty('password')}
        >
          <PasswordField form={form} has={link?.has_password ?? false} />
        </Accordion>
        <Accordion
          title="Targeting"
          note={
            rules === 0
              ? 'by country, language, device, system'
              : `${rules} ${rules === 1 ? 'rule' : 'rules'}`
          }
          opened={rules > 0}
          faulty={faulty('targeting')}
        >
          <TargetingFields form={form} />
        </Accordion>
        <Accordion
          title="Redirect"
          note={`${values.redirect_status}${values.forward_query ? ', query forwarded' : ''}`}
          opened={values.forward_query || values.redirect_status !== 302}
          faulty={faulty('forward_query', 'redirect_status')}
        >
          <RedirectFields form={form} />
        </Accordion>
        <Accordion
          title="Your own"
          note="external id, metadata"
          opened={values.external_id !== '' || values.metadata.length > 0}
          faulty={faulty('external_id', 'metadata')}
        >
          <OwnFields form={form} />
        </Accordion>
      </Stack>
    </Stack>
  );
}

const utmNote = ({ utm }: LinkForm): string => {
  const given = UTM_NAMES.filter((name) => utm[name].trim() !== '');
  return given.length === 0 ? 'source, medium, campaign' : given.join(', ');
};

/** A parameter that a visit may bring along, to show what becomes of it. */
const BROUGHT = ['ref', 'friend'] as const;

/** Where visitors end up, where that is not just what was typed. */
function Preview({ values }: { values: LinkForm }) {
  const final = finalUrl(values.url, values.utm);
  if (final === null) return null;
  const set = new Set(
    UTM_NAMES.filter((name) => values.utm[name].trim() !== '').map((name) => `utm_${name}`),
  );
  const forwarded = withForwarded(final, BROUGHT);
  const [name, value] = BROUGHT;
  return (
    <>
      {set.size > 0 && <FinalUrl label="Final URL" href={final} marked={set} />}
      {values.forward_query && (
        <FinalUrl
          label={
            forwarded === final
              ? `Visited with ?${name}=${value}: the target has a ${name} of its own, which stays`
              : `Visited with ?${name}=${value}`
          }
          href={forwarded}
          marked={new Set([name])}
        />
      )}
    </>
  );
}
