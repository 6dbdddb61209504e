/** A name server for tests, on loopback: it knows the TXT records that it is given, and nothing else. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const TXT = 16;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

export interface NameServer {
  /** As the setting DNS_SERVERS has it. */
  address: string;
  /** Name → its records; `fails`: the zone's servers have a fault. Names that are not there do not exist. */
  records: Map<string, string[] | 'fails'>;
  /** Names that were asked for, in their order. */
  asked: string[];
  stop(): Promise<void>;
}

/** A string as a TXT record has it: pieces of up to 255 bytes, each behind its length. */
function textData(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

/** An answer of RFC 1035 to the one question that a message has. */
function answerTo(message: Buffer, known: (name: string) => string[] | 'fails' | undefined): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (; message[at]! > 0; at += 1 + message[at]!)
    labels.push(message.toString('latin1', at + 1, at + 1 + message[at]!));
  const name = labels.join('.').toLowerCase();
  const isText = message.readUInt16BE(at + 1) === TXT;
  const found = known(name);
  const records = isText && Array.isArray(found) ? found.map(textData) : [];
  const head = Buffer.from(message.subarray(0, 12));
  const code = found === 'fails' ? SERVER_FAILURE : found === undefined ? NAME_ERROR : 0;
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  const lines = records.map((data) => {
    // The name is the question's; type, class IN, a minute to live.
    const line = Buffer.from([0xc0, 12, 0, TXT, 0, 1, 0, 0, 0, 60, 0, 0]);
    line.writeUInt16BE(data.length, 10);
    return Buffer.concat([line, data]);
  });
  return Buffer.concat([head, message.subarray(12, at + 5), ...lines]);
}

export async function startNameServer(): Promise<NameServer> {
  const records = new Map<string, string[] | 'fails'>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const answer = answerTo(message, (name) => {
      asked.push(name);
      return records.get(name);
    });
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
