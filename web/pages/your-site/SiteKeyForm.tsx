/** Makes a key for the browser. What the API demands of such a key is asked for here, and nothing else. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { createApiKey, scopesQuery } from '../../api/api-keys.ts';
import { useQuery } from '@tanstack/react-query';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { CountField } from '../../ui/CountField.tsx';
import { LinesField } from '../../ui/LinesField.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { ExpiryField } from '../api-keys/ExpiryField.tsx';
import { emptySiteForm, siteBodyOf, type SiteForm } from './site-form.ts';

export function SiteKeyForm({ onDone }: { onDone: (key: AnsweredKey, form: SiteForm) => void }) {
  const { workspace, scopes: mine } = useWorkspace();
  const form = useForm<SiteForm, AnsweredKey>(
    emptySiteForm(),
    (values) => createApiKey(workspace.id, siteBodyOf(values)),
    onDone,
  );
  const { data } = useQuery(scopesQuery(workspace.id));
  const offered = data?.data.filter(({ id }) => data.browser_scopes.includes(id)) ?? [];
  const { values, set } = form;
  return (
    <form onSubmit={form.submit}>
      <Stack maw={560}>
        <TextInput label="Name" required withAsterisk={false} maxLength={100} {...form.text('name')} />
        <LinesField
          label="Your site"
          description="Scheme and host, as in the address bar, one a line: also the one that you develop on."
          placeholder="https://www.example.com"
          value={values.allowed_origins}
          onChange={(origins) => set('allowed_origins', origins)}
          error={form.error('allowed_origins')}
        />
        <Checkbox.Group
          label="What visitors may do"
          description="The key can be read by everybody who opens the page, so it can hold only these."
          value={values.scopes}
          onChange={(scopes) => set('scopes', scopes)}
          error={form.error('scopes')}
        >
          <Stack gap={8} mt={6}>
            {offered.map(({ id, description }) => (
              <Checkbox key={id} size="xs" value={id} label={description} disabled={!mine.includes(id)} />
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
          label="Requests a minute, all visitors together"
          maw={280}
          value={values.limit}
          onChange={(limit) => set('limit', limit)}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: '/api-keys', body: siteBodyOf(values) }} />
        <Group>
          <Button type="submit" loading={form.pending} disabled={values.allowed_origins.length === 0}>
            Create browser key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
