import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
function fixedWork(): void {
  const rows = Array.from({ length: 30_000 }, (_, n) => ({ id: (n * 7919) % 30_011, name: `row ${n}` }));
  for (let round = 0; round < 3; round++) {
    const text = JSON.stringify((JSON.parse(JSON.stringify(rows)) as typeof rows).sort((a, b) => a.id - b.id));
    createHash('sha256').update(gzipSync(text)).update(text.repeat(4)).digest('hex');
  }
}
const a: number[] = [], b: number[] = [], c: number[] = [];
for (let i = 0; i < 60; i++) { let t = performance.now(); spawnSync(process.execPath, ['-e', '0']); a.push(performance.now() - t); const u = process.cpuUsage(); t = performance.now(); fixedWork(); b.push(performance.now() - t); const d = process.cpuUsage(u); c.push((d.user + d.system) / 1000); }
const q = (x: number[]) => { x.sort((p, r) => p - r); return [0, 0.1, 0.5, 0.9].map((f) => x[Math.floor(f * x.length)]!.toFixed(0)).join(' '); };
console.log('node', q(a), 'work', q(b), 'work cpu', q(c));
