/** The fields of a link: the common ones first, the others in collapsed sections. */
import { Stack, TextInput } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import type { Link } from '../../api/types.ts';
import { Accordion } from '../../design/Accordion.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { withScheme } from '../../design/addresses.ts';
import { AddressFields } from './AddressFields.tsx';
import { CardFields } from './CardFields.tsx';
import { finalUrl, UTM_NAMES, withForwarded } from './final-url.ts';
import { FinalUrl } from './FinalUrl.tsx';
import { LimitFields } from './LimitFields.tsx';
import { isFaulty, isFilled, type LinkForm, type Section } from './link-form.ts';
import { CustomDataFields, RedirectFields, redirectNote } from './MoreFields.tsx';
import { PasswordField } from './PasswordField.tsx';
import { TagsField } from '../tags/TagsField.tsx';
import { TargetingFields } from './TargetingFields.tsx';
import { UtmFields } from './UtmFields.tsx';

interface LinkFieldsProps {
  form: ApiForm<LinkForm>;
  /** null for a new link. */
  link: Link | null;
}

export function LinkFields({ form, link }: LinkFieldsProps) {
  const { values, error } = form;
  const fold = (section: Section) => ({
    opened: isFilled(values, section),
    faulty: isFaulty(section, error),
  });
  const rules = values.targeting.length;
  return (
    <Stack gap="md">
      <div>
        <TextInput
          label={t('Destination URL')}
          placeholder="https://example.com/a/long/address"
          inputMode="url"
          required
          spellCheck={false}
          data-autofocus
          {...form.text('url')}
          error={urlError(form)}
        />
        <Preview values={values} />
      </div>
      <AddressFields form={form} link={link} />
      <TagsField
        label={t('Tags')}
        value={values.tags}
        onChange={(tags) => form.set('tags', tags)}
        error={form.error('tags')}
      />
      <Stack gap="sm">
        <Accordion title={t('UTM parameters')} note={utmNote(values)} {...fold('utm')}>
          <UtmFields form={form} />
        </Accordion>
        <Accordion title={t('Preview')} note={t('Title, description, image')} {...fold('preview')}>
          <CardFields form={form} />
        </Accordion>
        <Accordion title={t('Limits')} note={t('Expiration, click limit')} {...fold('limits')}>
          <LimitFields form={form} />
        </Accordion>
        <Accordion
          title={t('Password')}
          note={values.password.choice === 'none' ? t('None') : t('Required')}
          {...fold('password')}
        >
          <PasswordField form={form} has={link?.has_password ?? false} />
        </Accordion>
        <Accordion
          title={t('Targeting')}
          note={
            rules === 0
              ? t('By country, language, device, system')
              : plural(rules, { one: '{count} rule', other: '{count} rules' })
          }
          {...fold('targeting')}
        >
          <TargetingFields form={form} />
        </Accordion>
        <Accordion
          title={t('Redirect')}
          note={
            values.forward_query
              ? t('{status}, forwards query parameters', { status: redirectNote(values.redirect_status) })
              : redirectNote(values.redirect_status)
          }
          {...fold('redirect')}
        >
          <RedirectFields form={form} />
        </Accordion>
        <Accordion title={t('Custom data')} note={t('External ID, metadata')} {...fold('custom')}>
          <CustomDataFields form={form} />
        </Accordion>
      </Stack>
    </Stack>
  );
}

/** The server's sentence is about a part of the URL, which helps where there is one. */
const urlError = ({ error, values }: ApiForm<LinkForm>): string | undefined => {
  const text = error('url');
  return text === undefined || URL.canParse(withScheme(values.url))
    ? text
    : t('Enter a URL, such as https://example.com');
};

const utmNote = ({ utm }: LinkForm): string => {
  const given = UTM_NAMES.filter((name) => utm[name].trim() !== '');
  return given.length === 0 ? t('Source, medium, campaign') : given.join(', ');
};

/** An example of a query parameter that is forwarded. */
const EXAMPLE_PARAMETER = ['ref', 'friend'] as const;

/** Shows the final URL if it differs from the destination URL. */
function Preview({ values }: { values: LinkForm }) {
  const final = finalUrl(values.url, values.utm);
  if (final === null) return null;
  const set = new Set(
    UTM_NAMES.filter((name) => values.utm[name].trim() !== '').map((name) => `utm_${name}`),
  );
  const forwarded = withForwarded(final, EXAMPLE_PARAMETER);
  const [name, value] = EXAMPLE_PARAMETER;
  return (
    <>
      {set.size > 0 && <FinalUrl label={t('Final URL')} href={final} marked={set} />}
      {values.forward_query && (
        <FinalUrl
          label={
            forwarded === final
              ? t('Visited with ?{name}={value} (the destination sets its own {name})', { name, value })
              : t('Visited with ?{name}={value}', { name, value })
          }
          href={forwarded}
          marked={new Set([name])}
        />
      )}
    </>
  );
}
