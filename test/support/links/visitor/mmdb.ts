/**
 * A small MaxMind database for tests, by the specification: IPv6 tree with 24 bits a record, IPv4 below ::/96.
 * https://maxmind.github.io/MaxMind-DB/
 */
import ipaddr from 'ipaddr.js';

type Value = string | number | Value[] | { [name: string]: Value };

const SEPARATOR = Buffer.alloc(16);
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** Type and size before a value. */
function control(type: number, size: number): Buffer {
  const sizes =
    size < 29 ? [size] : size < 285 ? [29, size - 29] : [30, (size - 285) >> 8, (size - 285) & 255];
  return Buffer.from(
    type > 7 ? [sizes[0]!, type - 7, ...sizes.slice(1)] : [(type << 5) | sizes[0]!, ...sizes.slice(1)],
  );
}

function encoded(value: Value): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([control(2, bytes.length), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encoded)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([name, inner]) => [encoded(name), encoded(inner)]),
  ]);
}

function getBits(cidr: string): number[] {
  const [address, length] = ipaddr.parseCIDR(cidr);
  const isV4 = address.kind() === 'ipv4';
  const bytes = [...(isV4 ? Array<number>(12).fill(0) : []), ...address.toByteArray()];
  return bytes
    .flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1))
    .slice(0, length + (isV4 ? 96 : 0));
}

/** @param networks CIDR → its record; none lies in another */
export function mmdb(networks: Record<string, Value>, databaseType = 'Test-City'): Buffer {
  type Node = [number | null, number | null];
  const nodes: Node[] = [[null, null]];
  const records: Buffer[] = [];
  /** What a leaf holds until the number of nodes is known: below 0 is an offset of data. */
  let offset = 0;
  for (const [cidr, value] of Object.entries(networks)) {
    const record = encoded(value);
    let node = 0;
    for (const [depth, bit] of getBits(cidr).entries()) {
      if (depth === getBits(cidr).length - 1) nodes[node]![bit] = -1 - offset;
      else node = nodes[node]![bit] ??= nodes.push([null, null]) - 1;
    }
    records.push(record);
    offset += record.length;
  }
  const toPointer = (record: number | null): number =>
    record === null ? nodes.length : record < 0 ? nodes.length + SEPARATOR.length + (-1 - record) : record;
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(toPointer(left), index * 6, 3);
    tree.writeUIntBE(toPointer(right), index * 6 + 3, 3);
  }
  const metadata = encoded({
    node_count: nodes.length,
    record_size: 24,
    ip_version: 6,
    database_type: databaseType,
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    description: { en: 'For tests' },
  });
  return Buffer.concat([tree, SEPARATOR, ...records, MARKER, metadata]);
}
