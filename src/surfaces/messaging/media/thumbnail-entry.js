/** The first file of the thumbnail process. It has one name in the sources and in the bundle, for `fork`. */
import { serve } from './thumbnail-process.ts';

await serve();
