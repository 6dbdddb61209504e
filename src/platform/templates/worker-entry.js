/** The first file of a template worker. It has one name in the sources and in the bundle, for `new Worker`. */
import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './template-worker.ts';

serve(parentPort, workerData);
