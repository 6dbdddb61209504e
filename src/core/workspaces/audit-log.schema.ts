/** Entries of the audit log as the API shows them. */
import Type, { type Static } from 'typebox';
import { createdFilters, ListQuery, Nullable, Strict, timeFields } from '../../platform/http/schema.ts';
import { exampleId, objectFields } from '../api/id-schema.ts';

const Text = (description: string, example: string | null) =>
  Nullable(Type.String(), { description, examples: [example] });

const Value = (description: string, example: string) => Type.Unknown({ description, examples: [example] });

export const AuditEntry = Type.Object(
  {
    ...objectFields('audit_entry', 'audit_entry'),
    action: Type.String({ description: 'The operation.', examples: ['members.update'] }),
    actor: Type.Object(
      {
        type: Type.String({
          description: '`user`, `api_key`, or `operator` for a command on the server.',
          examples: ['user'],
        }),
        id: Text('ID of the user or API key.', exampleId('user')),
        name: Text('Name at the time of the action.', 'Ada Lovelace'),
      },
      { description: 'The user or API key that performed the action.' },
    ),
    target: Type.Object(
      {
        type: Text('Type of the changed object.', 'member'),
        id: Text('ID of the changed object.', exampleId('user')),
        name: Text(
          'Name of the object at that time: the short URL of a link, the host of a domain, the email of an invitation. Null for contacts, chats and messages.',
          'Ada Lovelace',
        ),
      },
      { description: 'The changed object.' },
    ),
    ip: Text('IP address of the request.', '203.0.113.7'),
    request_id: Text('ID of the request.', exampleId('request')),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Additional information about the action. Never contains secrets.',
      examples: [{ role: 'admin' }],
    }),
    changes: Nullable(
      Type.Record(
        Type.String(),
        Type.Object({
          before: Value('The value before.', 'viewer'),
          after: Value('The value after.', 'admin'),
        }),
      ),
      {
        description:
          'The fields that an update changed, with their values before and after. Secrets and fields that may contain secrets are omitted; `details.changed` names all fields of the request. Null for other actions.',
        examples: [{ role: { before: 'viewer', after: 'admin' } }],
      },
    ),
    created_at: timeFields.created_at,
  },
  { title: 'AuditEntry' },
);

const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, description, examples: [example] }));

const FILTERS = {
  action: filter('Only this operation.', 'members.update'),
  actor_id: filter('Only actions of this user or API key.', exampleId('user')),
  target_type: filter('Only actions on objects of this type.', 'api_key'),
  target_id: filter('Only actions on this object.', exampleId('api_key')),
  ...createdFilters,
};

export const AuditLogList = ListQuery(FILTERS);
export const AuditLogExport = Strict(FILTERS);
export type AuditLogFilters = Static<typeof AuditLogExport>;

export type AuditEntryObject = Static<typeof AuditEntry>;
