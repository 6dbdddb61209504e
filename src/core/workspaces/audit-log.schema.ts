/** Entries of the audit log as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  exampleId,
  ListQuery,
  Nullable,
  objectFields,
  timeFields,
} from '../../platform/http/schema.ts';

const Text = (description: string, example: string | null) =>
  Nullable(Type.String(), { description, examples: [example] });

export const AuditEntry = Type.Object(
  {
    ...objectFields('audit_entry', 'audit_entry'),
    action: Type.String({ description: 'The operation that was done.', examples: ['members.update'] }),
    actor: Type.Object(
      {
        type: Type.String({
          description: '`user`, `api_key`, or `operator`: who runs the server, by a command.',
          examples: ['user'],
        }),
        id: Text('Id of the person or key.', exampleId('user')),
        name: Text('Its name at that time.', 'Ada Lovelace'),
      },
      { description: 'Who did it.' },
    ),
    target: Type.Object(
      {
        type: Text('What kind of object was changed.', 'member'),
        id: Text('Its id.', exampleId('user')),
      },
      { description: 'What it was done to.' },
    ),
    ip: Text('The address that the request came from.', '203.0.113.7'),
    request_id: Text('Id of the request.', exampleId('request')),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'More, by the kind of action. Never a secret.',
      examples: [{ role: 'admin' }],
    }),
    created_at: timeFields.created_at,
  },
  { title: 'AuditEntry' },
);

const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, description, examples: [example] }));

export const AuditLogList = ListQuery({
  action: filter('Only this operation.', 'members.update'),
  actor_id: filter('Only what this person or key did.', exampleId('user')),
  target_id: filter('Only what was done to this object.', exampleId('api_key')),
  ...createdFilters,
});

export type AuditEntryObject = Static<typeof AuditEntry>;
