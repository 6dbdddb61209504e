/** Reads the templates and groups of an account, which other clients of it change too. */
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Graph } from './api.ts';
import { readGroups, toGroupSignal } from './groups.ts';
import type { Templates } from './templates.ts';

/** Not every account can have groups. */
async function listGroups(context: DriverContext, graph: Graph, signal: AbortSignal): Promise<void> {
  try {
    const groups = await readGroups(graph, signal);
    if (groups.length) await context.emit(groups.map(toGroupSignal));
  } catch (error) {
    if (!(error instanceof DriverError) || error.kind === 'lost') throw error;
    context.log.debug({ code: error.code }, 'whatsapp: groups not listed');
  }
}

/**
 * Emits the templates and the groups of the account. Templates change rarely: that they cannot be read now does not end a
 * connection that can send.
 * @throws DriverError if the connection must end
 */
export async function synchronize(
  context: DriverContext,
  graph: Graph,
  templates: Templates,
  signal: AbortSignal,
): Promise<void> {
  try {
    const all = await templates.synchronize(signal);
    // While a connection is only checked, nothing is stored.
    if (context.ingressUrl !== null) await context.emit([{ kind: 'templates', all }]);
  } catch (error) {
    if (!(error instanceof DriverError) || error.kind === 'refused' || error.kind === 'lost') throw error;
    context.log.warn({ code: error.code }, 'whatsapp: templates not synchronized, trying again in an hour');
  }
  if (context.ingressUrl !== null) await listGroups(context, graph, signal);
}
