/** The rounds of kills with a channel over HTTP: `node bench/soak-http.ts [kills]` (20). */
import { httpWorld } from '../test/support/http-world.ts';
import { soakKills } from './support/soak-kills.ts';

await soakKills(httpWorld);
