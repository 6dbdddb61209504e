/**
 * `npm run db:types`: src/platform/db/tables.ts, the types of all tables, and docs/schema.md, their meaning, from the migrated
 * schema of a database made for it. `--check` compares instead.
 */
import codegen from 'kysely-codegen';
import { openDatabase, openPool } from '../src/platform/db/database.ts';
import { startEmbedded } from '../src/platform/embedded-postgres/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { writeOrCheck } from './generated-file.ts';
import { createSchemaDocument } from './schema/schema-document.ts';

await using folder = await temporaryFolder();
const log = { info() {}, warn: console.warn, error: console.error };
const embedded = await startEmbedded({ dataDir: folder.path, log });
try {
  const pool = openPool({ ...embedded.connection, max: 2 }, () => {});
  const db = openDatabase(pool);
  await migrate(db);
  const types = await codegen.generate({
    db,
    dialect: new codegen.PostgresDialect({ defaultSchemas: ['public'] }),
    // Partitions, and the migrator's own tables.
    excludePattern: '{*_default,*_p[0-9]*,kysely_*}',
    outFile: null,
    // As src/platform/db/database.ts parses them.
    typeMapping: { int8: 'number', timestamptz: 'Date' },
  });
  await writeOrCheck('src/platform/db/tables.ts', types, 'db:types');
  const document = await createSchemaDocument(db).finally(() => pool.end());
  await writeOrCheck('docs/schema.md', document, 'db:types');
} finally {
  await embedded.stop();
}
