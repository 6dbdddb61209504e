/** Imports contacts: an address is one contact, however often it is imported. */
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import type { ImportKind } from '../../../core/transfer/import-job.ts';
import { importBatch } from './contact-import-batch.ts';
import { readLine } from './contact-import-line.ts';
import type { ContactServiceDeps } from './contact.service.ts';

const COLUMNS = ['name', 'instance_id', 'instance', 'address', 'avatar_url', 'metadata'];

export const contactImport = (deps: ContactServiceDeps): ImportKind<JobPayloads['contacts.import']> => ({
  name: 'contacts.import',
  columns: {
    known: new Map(COLUMNS.map((name) => [name, name])),
    passedOver: new Set(['id', 'profile_name', 'username', 'blocked', 'created_at']),
    required: { column: 'address', description: 'address' },
  },
  take(unit, payload, lines, refuse) {
    const inputs = lines.flatMap((line) => {
      const read = readLine(line);
      if (!('code' in read)) return [read];
      refuse(read);
      return [];
    });
    return importBatch(unit, deps, payload, inputs, refuse);
  },
});
