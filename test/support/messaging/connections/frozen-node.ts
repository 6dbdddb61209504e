/**
 * A node in a process of its own, to be frozen: its channel is a TCP connection to the test, on which it says what it
 * could take in. What it is to do comes in FROZEN_NODE.
 */
import net from 'node:net';
import { startNode } from './nodes.ts';
import { createScriptedChannel } from './scripted-channel.ts';

const { connection, port, leaseMs } = JSON.parse(process.env['FROZEN_NODE']!);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const channel = createScriptedChannel(() => null);
const sockets = new Map<string, net.Socket>();
channel.onOpen = ({ instanceId }) =>
  new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', resolve).on('error', reject);
    sockets.set(instanceId, socket);
  });
channel.onClose = ({ instanceId }) => {
  sockets.get(instanceId)!.destroy();
  say('closed');
};
startNode(channel, connection, { leaseMs });

// Whatever wakes first: it goes on hearing as soon as it runs again.
let heard = 0;
setInterval(() => {
  for (const { context } of channel.sessions)
    context.emit([{ kind: 'profile', address: 'a', name: null }]).then(
      () => say(`heard ${++heard}`),
      () => say('refused'),
    );
}, 20);
