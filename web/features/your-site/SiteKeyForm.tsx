/** Creates an API key for the browser. Has only the fields that the API requires of such a key. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { createApiKey, scopesQuery } from '../../api/api-keys.ts';
import { useQuery } from '@tanstack/react-query';
import { fieldProblem } from '../../api/problem.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { CountField } from '../../design/CountField.tsx';
import { LinesField } from '../../design/LinesField.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import { ExpiryField } from '../api-keys/ExpiryField.tsx';
import { emptySiteForm, PERMISSIONS, toSiteBody, type SiteForm } from './site-form.ts';

export function SiteKeyForm({ onDone }: { onDone: (key: AnsweredKey, form: SiteForm) => void }) {
  const { workspace, scopes: mine } = useWorkspace();
  const form = useCallForm<SiteForm, AnsweredKey>(
    emptySiteForm(),
    (site, isShown) => {
      // Without an origin, the API would create a key for servers.
      if (!isShown && site.allowed_origins.length === 0)
        throw fieldProblem('/allowed_origins', t('Enter at least one origin.'));
      return createApiKey(toSiteBody(site));
    },
    onDone,
  );
  const { data } = useQuery(scopesQuery(workspace.id));
  const offered = data?.data.filter(({ id }) => data.browser_scopes.includes(id)) ?? [];
  const { values, set } = form;
  return (
    <form onSubmit={form.submit}>
      <Stack maw={560}>
        <TextInput label={t('Name')} required maxLength={100} {...form.text('name')} />
        <LinesField
          label={t('Your site')}
          description={t('The origins of your site, one per line. Include your development origin.')}
          placeholder="https://www.example.com"
          value={values.allowed_origins}
          onChange={(origins) => set('allowed_origins', origins)}
          error={form.error('allowed_origins')}
        />
        <Checkbox.Group
          label={t('Permissions')}
          description={t("Every visitor can read this key, so it's limited to these scopes.")}
          value={values.scopes}
          onChange={(scopes) => set('scopes', scopes)}
          error={form.error('scopes')}
        >
          <Stack gap={8} mt={6}>
            {offered.map(({ id, description }) => (
              <Checkbox
                key={id}
                size="xs"
                value={id}
                label={PERMISSIONS[id] ?? description}
                disabled={!mine.includes(id)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <ExpiryField
          value={values.expires_at}
          onChange={(expiry) => set('expires_at', expiry)}
          error={form.error('expires_at')}
          never={false}
        />
        <CountField
          label={t('Requests per minute, all visitors')}
          maw={280}
          value={values.limit}
          onChange={(limit) => set('limit', limit)}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={form.call} />
        <Group>
          <Button type="submit" loading={form.pending}>
            {t('Create browser key')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
