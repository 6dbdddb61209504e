/** Adds a domain, or changes where one leads. */
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { createDomain, type DomainChange, type NewDomain, updateDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { changes } from '../../ui/changes.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';

interface DomainDialogProps {
  opened: boolean;
  /** null adds one. */
  domain: Domain | null;
  onClose: () => void;
  onDone: (domain: Domain) => void;
}

interface DomainForm {
  host: string;
  root_url: string;
  not_found_url: string;
}

const wantedOf = ({ root_url: root, not_found_url: notFound }: DomainForm) => ({
  root_url: root.trim() || null,
  not_found_url: notFound.trim() || null,
});

const bodyOf = (form: DomainForm): NewDomain => ({
  host: form.host.trim(),
  ...changes(wantedOf(form), { root_url: null, not_found_url: null }),
});

const changeOf = (form: DomainForm, domain: Domain): DomainChange => changes(wantedOf(form), domain);

export function DomainDialog({ opened, domain, ...rest }: DomainDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={domain ? `Change ${domain.host}` : 'Add a domain'}
      closeOnClickOutside={false}
    >
      <DomainDialogForm domain={domain} {...rest} />
    </Modal>
  );
}

function DomainDialogForm({ domain, onClose, onDone }: Omit<DomainDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm<DomainForm, Domain>(
    {
      host: domain?.host ?? '',
      root_url: domain?.root_url ?? '',
      not_found_url: domain?.not_found_url ?? '',
    },
    (values) =>
      domain
        ? updateDomain(workspace.id, domain.id, changeOf(values, domain))
        : createDomain(workspace.id, bodyOf(values)),
    onDone,
  );
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        {!domain && (
          <TextInput
            label="Host"
            description="A name that nothing else is served on, as links.example.com"
            placeholder="links.example.com"
            spellCheck={false}
            autoCapitalize="none"
            inputMode="url"
            data-autofocus
            {...form.text('host')}
          />
        )}
        <TextInput
          label="Without a slug"
          description="Where visitors of the bare host go, instead of a page that says that nothing is there"
          placeholder="https://example.com/"
          spellCheck={false}
          {...form.text('root_url')}
        />
        <TextInput
          label="Unknown slugs"
          description="Where visitors of a link go that there is not"
          placeholder="https://example.com/lost"
          spellCheck={false}
          {...form.text('not_found_url')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={
            domain
              ? { method: 'PATCH', path: `/domains/${domain.id}`, body: changeOf(form.values, domain) }
              : { method: 'POST', path: '/domains', body: bodyOf(form.values) }
          }
        />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {domain ? 'Save' : 'Add domain'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
