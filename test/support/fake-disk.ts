/** A disk of 100 GiB, of which as much is free as a test says. */
export const GIB = 1024 ** 3;

export function fakeDisk() {
  const disk = {
    freeGiB: 50,
    read: async () => ({
      bsize: 4096,
      blocks: (100 * GIB) / 4096,
      bfree: (disk.freeGiB * GIB) / 4096,
      bavail: (disk.freeGiB * GIB) / 4096,
      files: 1_000,
      ffree: 1_000,
      device: 1,
    }),
  };
  return disk;
}
