/** Checks an object store at start, so that a wrong S3_URL is reported then and not by the first upload. */
import { createHash, randomUUID } from 'node:crypto';
import { ConfigError } from '../../../platform/config/config.ts';
import { createS3Client, S3Error } from '../../../platform/storage/s3/s3-client.ts';
import type { S3Location } from '../../../platform/config/s3-url.ts';
import { TRIALS } from './s3-files.ts';

const TRIAL = Buffer.from('Fairlead tries whether it may write, read, list and delete here.');

/** Writes, reads, lists and deletes a small object. @throws ConfigError in a line that names the setting */
export async function assertStoreWorks(location: S3Location): Promise<void> {
  const client = createS3Client(location);
  const key = TRIALS + randomUUID();
  try {
    const sha256 = createHash('sha256').update(TRIAL).digest('hex');
    await client.put(key, { size: TRIAL.length, sha256, open: () => TRIAL });
    const read = await client.get(key, 1, TRIAL.length - 1);
    if (!read || !Buffer.from(await read.arrayBuffer()).equals(TRIAL.subarray(1)))
      throw new S3Error('the store does not return what was written', null);
    const { objects } = await client.list(key);
    if (objects[0]?.key !== key) throw new S3Error('the store does not list what was written', null);
    await client.removeAll([key]);
    if ((await client.getSize(key)) !== null) throw new S3Error('the store does not delete', null);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ConfigError(`S3_URL: ${error.message}, at ${location.name}`);
  } finally {
    await client.close();
  }
}
